// The fixture in an app of its own, with the very code of the plugin. Called with `dial` and a handle, an app without a
// provider, which requests a call and says what it was told.

import Dispatch
import Glibc
import OpenCallKit
import Surface

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "dial" {
    let controller = CXCallController()
    let handle = CXHandle(type: .phoneNumber, value: CommandLine.arguments[2])
    controller.request(CXTransaction(action: CXStartCallAction(call: UUID(), handle: handle))) { error in
        if let error = error as? CXErrorCodeRequestTransactionError {
            print(error.errorCode, error.busName, error.message)
        }
        exit(0)
    }
    dispatchMain()
}
let surface = Surface()
withExtendedLifetime(surface) { dispatchMain() }
