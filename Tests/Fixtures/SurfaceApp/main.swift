// The fixture in an app of its own, with the very code of the plugin. Called with `dial` and a handle, an app without a
// provider, which requests a call and says what it was told. Called with `ask` and a transaction, an app that has it
// performed, and says what it was told and how many calls it sees. Called with `reload` and a directory, an app that has
// it loaded, and says what it was told.

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
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "ask" {
    let transaction = try JSONDecoder().decode(CXTransaction.self, from: Data(CommandLine.arguments[2].utf8))
    Task {
        let controller = CXCallController()
        do {
            try await controller.perform(transaction)
        } catch {
            print((error as? CXErrorCodeRequestTransactionError)?.busName ?? "\(error)")
        }
        DispatchQueue.global().async {
            print("sees", controller.callObserver.calls.count)
            exit(0)
        }
    }
    dispatchMain()
}
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "reload" {
    CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: CommandLine.arguments[2]) { error in
        let error = error as? CXErrorCodeCallDirectoryManagerError
        print(error?.errorCode ?? -1, error?.busName ?? "")
        exit(0)
    }
    dispatchMain()
}
let surface = Surface()
withExtendedLifetime(surface) { dispatchMain() }
