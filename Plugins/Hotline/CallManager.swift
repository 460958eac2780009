// CallManager: Hotline's calls and its user's requests.

import OpenCallKit

@MainActor
final class CallManager {
    private let callController = CXCallController()
    private(set) var calls: [HotlineCall] = []

    func callWithUUID(uuid: UUID) -> HotlineCall? { calls.first { $0.uuid == uuid } }

    func add(call: HotlineCall) { calls.append(call) }

    func remove(call: HotlineCall) { calls.removeAll { $0 === call } }

    func removeAllCalls() { calls.removeAll() }

    func startCall(handle: String, videoEnabled: Bool) {
        let startCallAction = CXStartCallAction(call: UUID(), handle: CXHandle(type: .phoneNumber, value: handle))
        startCallAction.isVideo = videoEnabled
        requestTransaction(CXTransaction(action: startCallAction))
    }

    func end(call: HotlineCall) {
        requestTransaction(CXTransaction(action: CXEndCallAction(call: call.uuid)))
    }

    func setHeld(call: HotlineCall, onHold: Bool) {
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
