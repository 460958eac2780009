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

extension CXCallAction {
    /// - Parameter answer: takes the provider's answer; called once at most, on any thread.
    static func make(_ wire: PerformWire, answer: @escaping Answer) -> CXCallAction {
        switch wire.action {
        case .start(_, let start): CXStartCallAction(wire, start, answer: answer)
        case .answer: CXAnswerCallAction(wire, answer: answer)
        case .end(_, let reason): CXEndCallAction(wire, reason: reason, answer: answer)
        case .setHeld(_, let onHold): CXSetHeldCallAction(wire, onHold: onHold, answer: answer)
        case .setMuted(_, let muted): CXSetMutedCallAction(wire, muted: muted, answer: answer)
        case .setGroup(_, let other): CXSetGroupCallAction(wire, other: other, answer: answer)
        case .transfer(_, let target): CXTransferCallAction(wire, target, answer: answer)
        case .answerTransfer(_, let handle): CXAnswerTransferCallAction(wire, handle, answer: answer)
        case .setTranslating(_, let isTranslating, let languages):
            CXSetTranslatingCallAction(wire, isTranslating, languages, answer: answer)
        case .playDTMF(_, let digits, let tone): CXPlayDTMFCallAction(wire, digits: digits, tone: tone, answer: answer)
        }
    }
}
