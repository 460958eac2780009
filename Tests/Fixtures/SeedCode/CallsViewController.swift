// What the user of the seed's app sees of its calls, and does with them.

#if canImport(UIKit)
    import UIKit
#else
    import Foundation
    import OpenCallKit
#endif

class CallsViewController: UITableViewController {
    var callManager = AppDelegate.shared.callManager

    func unwindForNewCall(_ segue: UIStoryboardSegue) {
        guard
            let newCallController = segue.source as? NewCallViewController,
            let handle = newCallController.handle
        else {
            return
        }
        let videoEnabled = newCallController.videoEnabled
        let incoming = newCallController.incoming

        if incoming {
            let backgroundTaskIdentifier =
                UIApplication.shared.beginBackgroundTask(expirationHandler: nil)

            DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) {
                AppDelegate.shared.displayIncomingCall(
                    uuid: UUID(),
                    handle: handle,
                    hasVideo: videoEnabled
                ) { _ in
                    UIApplication.shared.endBackgroundTask(backgroundTaskIdentifier)
                }
            }
        } else {
            callManager.startCall(handle: handle, videoEnabled: videoEnabled)
        }
    }

    override func tableView(
        _ tableView: UITableView,
        commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {
        let call = callManager.calls[indexPath.row]
        callManager.end(call: call)
    }

    override func tableView(
        _ tableView: UITableView,
        didSelectRowAt indexPath: IndexPath
    ) {
        let call = callManager.calls[indexPath.row]
        call.state = call.state == .held ? .active : .held
        callManager.setHeld(call: call, onHold: call.state == .held)

        tableView.reloadData()
    }
}

class NewCallViewController: UIViewController {
    var handle: String?
    var videoEnabled = false
    var incoming = false
}
