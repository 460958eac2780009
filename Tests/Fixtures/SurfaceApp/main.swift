// The Surface fixture as an app, with the same code as the plugin. With `dial` and a handle, it requests a call without
// being a provider and prints the answer. With `ask` and a transaction, it requests the transaction and prints the
// answer and the number of calls that it sees. With `reload` and a directory, it reloads the directory and prints the
// answer.

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
