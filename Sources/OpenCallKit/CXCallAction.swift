// CXCallAction: an action on one call.

internal import CallModel
internal import ProviderLink

/// Base of the actions that concern a call.
public class CXCallAction: CXAction, @unchecked Sendable {
    public let callUUID: UUID

    public init(call callUUID: UUID) {
        self.callUUID = callUUID
        super.init(uuid: .fresh(), timeoutDate: .distantFuture, answer: nil)
    }

    init(_ wire: PerformWire, answer: @escaping @Sendable (Outcome) -> Void) {
        callUUID = UUID(wire.action.call)
        super.init(uuid: UUID(uuidString: wire.id) ?? .fresh(), timeoutDate: Date(wire: wire.deadline), answer: answer)
    }

    /// This action as a request.
    /// - Throws: `InvalidArguments` for what no request can hold; `InvalidAction` for an action without a kind.
    func model() throws(CallError) -> CallAction {
        throw CallError(.invalidAction, "\(type(of: self)) cannot be requested")
    }

    final func fulfill(at date: Date) {
        complete(.fulfilled(PerformResult(date: date.wire).wire))
    }
}
