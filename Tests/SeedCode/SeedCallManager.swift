// The calls of the seed's app, and its requests.

#if canImport(CallKit)
    import CallKit
#else
    import OpenCallKit
#endif

public class SeedCallManager {
    private let callController = CXCallController()
    public private(set) var calls: [SeedCall] = []
    public var requested: ((Error?) -> Void)?

    public init() {}

    public func callWithUUID(uuid: UUID) -> SeedCall? {
        guard let index = calls.firstIndex(where: { $0.uuid == uuid }) else { return nil }
        return calls[index]
    }

    public func startCall(handle: String, videoEnabled: Bool) {
        let handle = CXHandle(type: .phoneNumber, value: handle)
        let startCallAction = CXStartCallAction(call: UUID(), handle: handle)
        startCallAction.isVideo = videoEnabled
        let transaction = CXTransaction(action: startCallAction)
        requestTransaction(transaction)
    }

    public func setHeld(call: SeedCall, onHold: Bool) {
        let transaction = CXTransaction()
        transaction.addAction(CXSetHeldCallAction(call: call.uuid, onHold: onHold))
        requestTransaction(transaction)
    }

    public func endAndAnswer(_ ended: SeedCall, _ answered: UUID) {
        callController.requestTransaction(
            with: [CXEndCallAction(call: ended.uuid), CXAnswerCallAction(call: answered)]
        ) { error in
            if let error = error as? CXErrorCodeRequestTransactionError, error.code == .unknownCallUUID {
                print("no such call")
            }
            self.requested?(error)
        }
    }

    private func requestTransaction(_ transaction: CXTransaction) {
        callController.request(transaction) { error in
            if let error = error {
                print("Error requesting transaction: \(error)")
            }
            self.requested?(error)
        }
    }

    func add(call: SeedCall) { calls.append(call) }
    func remove(call: SeedCall) { calls.removeAll { $0 === call } }
    func removeAllCalls() { calls.removeAll() }
}
