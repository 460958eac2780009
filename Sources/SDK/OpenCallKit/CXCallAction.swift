// CXCallAction: an action on one call.

internal import CallModel
internal import CallWire

/// The base class of actions that concern a call (CallKit: CXCallAction).
public class CXCallAction: CXAction, @unchecked Sendable {
    /// The call that the action concerns.
    public let callUUID: UUID

    /// Creates an action on a call, without a kind. Only its subclasses can be requested.
    /// - Parameter callUUID: the call.
    public init(call callUUID: UUID) {
        self.callUUID = callUUID
        super.init(uuid: UUID(), timeoutDate: .distantFuture, answer: nil)
    }

    private enum CodingKeys: CodingKey {
        case callUUID
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        callUUID = try values.decode(UUID.self, forKey: .callUUID)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(callUUID, forKey: .callUUID)
        try super.encode(to: encoder)
    }

    init(_ wire: PerformWire, answer: @escaping Answer) {
        callUUID = UUID(wire.action.call)
        super.init(
            uuid: CallID(wire.id).map(UUID.init) ?? UUID(), timeoutDate: Date(wire: wire.deadline),
            answer: answer)
    }

    /// Returns this action as a request.
    /// - Throws: `InvalidArguments` for an invalid value; `InvalidAction` for an action without a kind.
    func model() throws(CallError) -> CallAction {
        throw CallError(.invalidAction, "\(type(of: self)) cannot be requested")
    }

    final func fulfill(at date: Date) { complete(.fulfilled(PerformResult(date: date.wire).wire)) }
}
