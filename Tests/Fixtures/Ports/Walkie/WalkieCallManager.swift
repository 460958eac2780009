// Requests transactions and keeps the list of calls.

#if canImport(CallKit)
    import CallKit
    import UIKit
    import os
#else
    import OpenCallKitPort
#endif

final class WalkieCallManager: NSObject {
    static let callsChanged = Notification.Name("WalkieCallsChanged")

    let callController = CXCallController()
    private(set) var calls: [WalkieCall] = []
    private let logger = Logger(subsystem: "com.example.walkie", category: "calls")

    func startCall(handle: String, video: Bool = false) {
        let handle = CXHandle(type: .phoneNumber, value: handle)
        let startCallAction = CXStartCallAction(call: UUID(), handle: handle)
        startCallAction.isVideo = video
        requestTransaction(CXTransaction(action: startCallAction), "startCall")
    }

    func end(call: WalkieCall) {
        requestTransaction(CXTransaction(action: CXEndCallAction(call: call.uuid)), "endCall")
    }

    func setOnHoldStatus(for call: WalkieCall, to onHold: Bool) {
        let setHeldCallAction = CXSetHeldCallAction(call: call.uuid, onHold: onHold)
        requestTransaction(CXTransaction(action: setHeldCallAction), "holdCall")
    }

    func setMuted(_ call: WalkieCall, _ muted: Bool) {
        let transaction = CXTransaction()
        transaction.addAction(CXSetMutedCallAction(call: call.uuid, muted: muted))
        requestTransaction(transaction, "muteCall")
    }

    private func requestTransaction(_ transaction: CXTransaction, _ name: StaticString) {
        callController.request(transaction) { [logger] error in
            if let error = error {
                logger.error("error requesting \(String(describing: name), privacy: .public): \(error)")
            } else {
                logger.debug("requested \(String(describing: name), privacy: .public)")
            }
        }
    }

    func callWithUUID(uuid: UUID) -> WalkieCall? { calls.first { $0.uuid == uuid } }

    func addCall(_ call: WalkieCall) {
        calls.append(call)
        call.stateDidChange = { [weak self] in self?.postCallsChangedNotification() }
        postCallsChangedNotification()
    }

    func removeCall(_ call: WalkieCall) {
        calls.removeAll { $0 === call }
        postCallsChangedNotification()
    }

    func removeAllCalls() {
        calls.removeAll()
        postCallsChangedNotification()
    }

    private func postCallsChangedNotification() {
        NotificationCenter.default.post(name: Self.callsChanged, object: self)
    }
}
