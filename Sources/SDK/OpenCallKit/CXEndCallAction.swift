// CXEndCallAction: ends or declines a call.

internal import CallModel
internal import CallWire

/// Ends a call, or declines a ringing one (CallKit: CXEndCallAction). The call ends whatever the provider answers.
public final class CXEndCallAction: CXCallAction, @unchecked Sendable {
    /// The client's reason for rejecting a ringing call; nil without one. Not in CallKit.
    public let reason: String?

    /// Creates a request to end a call.
    /// - Parameter callUUID: the call to end.
    public override init(call callUUID: UUID) {
        reason = nil
        super.init(call: callUUID)
    }

    init(_ wire: PerformWire, reason: String, answer: @escaping Answer) {
        self.reason = reason.isEmpty ? nil : reason
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case reason
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        reason = try values.decodeIfPresent(String.self, forKey: .reason)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(reason, forKey: .reason)
        try super.encode(to: encoder)
    }

    /// Reports that the call ended at `dateEnded`.
    public func fulfill(withDateEnded dateEnded: Date) { fulfill(at: dateEnded) }

    override func model() throws(CallError) -> CallAction { .end(CallID(callUUID), reason: "") }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
