// ActiveCallManager: MonkeyCall's calls and its user's requests.

import OpenCallKit

/// Keeps the calls, and passes the user's requests to the system, which lets the provider perform them.
@MainActor
final class ActiveCallManager {
    private let callController = CXCallController()
    var calls: [ActiveCall] = []

    func findCall(_ uuid: UUID) -> ActiveCall? { calls.first { $0.uuid == uuid } }

    func startCall(contact: String) {
        let handle = CXHandle(type: .generic, value: contact)
        send(CXTransaction(action: CXStartCallAction(call: UUID(), handle: handle)))
    }

    func endCall(_ call: ActiveCall) {
        send(CXTransaction(action: CXEndCallAction(call: call.uuid)))
    }

    func placeCallOnHold(_ call: ActiveCall) {
        send(CXTransaction(action: CXSetHeldCallAction(call: call.uuid, onHold: true)))
    }

    func removeCallFromOnHold(_ call: ActiveCall) {
        send(CXTransaction(action: CXSetHeldCallAction(call: call.uuid, onHold: false)))
    }

    private func send(_ transaction: CXTransaction) {
        callController.request(transaction) { error in
            if let error { print("Error requesting transaction: \(error)") }
        }
    }
}
