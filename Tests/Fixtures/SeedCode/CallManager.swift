// The calls of the seed's app, and its requests.

#if canImport(CallKit)
    import CallKit
#else
    import OpenCallKit
#endif

class CallManager {
    var callsChangedHandler: (() -> Void)?
    private(set) var calls: [Call] = []
    private let callController = CXCallController()

    func callWithUUID(uuid: UUID) -> Call? {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return calls[index]
    }

    func end(call: Call) {
        let endCallAction = CXEndCallAction(call: call.uuid)
        let transaction = CXTransaction(action: endCallAction)

        requestTransaction(transaction)
    }

    func setHeld(call: Call, onHold: Bool) {
        let setHeldCallAction = CXSetHeldCallAction(call: call.uuid, onHold: onHold)
        let transaction = CXTransaction()
        transaction.addAction(setHeldCallAction)

        requestTransaction(transaction)
    }

    func startCall(handle: String, videoEnabled: Bool) {
        let handle = CXHandle(type: .phoneNumber, value: handle)
        let startCallAction = CXStartCallAction(call: UUID(), handle: handle)
        startCallAction.isVideo = videoEnabled
        let transaction = CXTransaction(action: startCallAction)

        requestTransaction(transaction)
    }

    private func requestTransaction(_ transaction: CXTransaction) {
        callController.request(transaction) { error in
            if let error = error {
                print("Error requesting transaction: \(error)")
            } else {
                print("Requested transaction successfully")
            }
        }
    }

    /// What the system does when its user chooses to end one call and answer another.
    func endAndAnswer(_ ended: Call, _ answered: UUID) {
        callController.requestTransaction(
            with: [CXEndCallAction(call: ended.uuid), CXAnswerCallAction(call: answered)]
        ) { error in
            if let error = error as? CXErrorCodeRequestTransactionError, error.code == .unknownCallUUID {
                print("no such call")
            }
        }
    }

    func add(call: Call) {
        calls.append(call)
        call.stateChanged = { [weak self] in self?.callsChangedHandler?() }
        callsChangedHandler?()
    }

    func remove(call: Call) {
        guard let index = calls.firstIndex(where: { $0 === call }) else { return }
        calls.remove(at: index)
        callsChangedHandler?()
    }

    func removeAllCalls() {
        calls.removeAll()
        callsChangedHandler?()
    }
}
