// CallManager: Hotline's calls and its user's requests.

import OpenCallKit

@MainActor
final class CallManager {
    private let callController = CXCallController()
    private(set) var calls: [Call] = []

    func callWithUUID(uuid: UUID) -> Call? { calls.first { $0.uuid == uuid } }

    func add(call: Call) { calls.append(call) }

    func remove(call: Call) { calls.removeAll { $0 === call } }

    func removeAllCalls() { calls.removeAll() }

    func startCall(handle: String, videoEnabled: Bool) {
        let startCallAction = CXStartCallAction(call: UUID(), handle: CXHandle(type: .phoneNumber, value: handle))
        startCallAction.isVideo = videoEnabled
        requestTransaction(CXTransaction(action: startCallAction))
    }

    func end(call: Call) {
        requestTransaction(CXTransaction(action: CXEndCallAction(call: call.uuid)))
    }

    func setHeld(call: Call, onHold: Bool) {
        let transaction = CXTransaction()
        transaction.addAction(CXSetHeldCallAction(call: call.uuid, onHold: onHold))
        requestTransaction(transaction)
    }

    private func requestTransaction(_ transaction: CXTransaction) {
        callController.request(transaction) { error in
            if let error { print("Error requesting transaction: \(error)") }
        }
    }
}
