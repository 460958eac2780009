// CXServiceCodeAction: a client sends a service code to the provider's network.

internal import CallModel
internal import CallWire

/// Sends a service code such as `*100#` to the provider's network (3GPP TS 22.030, 6.5; USSD), or the user's reply to a
/// network that has asked back. A provider has one exchange at a time. Not in CallKit.
public final class CXServiceCodeAction: CXAction, @unchecked Sendable {
    /// The code: digits, `*`, `#` and `+`. Or the user's reply. At most 182 characters.
    public let text: String
    /// Whether it is the reply to what the network asked in the exchange under way.
    public let isReply: Bool

    init(text: String, isReply: Bool, answer: @escaping Answer) {
        (self.text, self.isReply) = (text, isReply)
        super.init(uuid: UUID(), timeoutDate: .distantFuture, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case text, isReply
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        text = try values.decode(String.self, forKey: .text)
        isReply = try values.decode(Bool.self, forKey: .isReply)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(text, forKey: .text)
        try values.encode(isReply, forKey: .isReply)
        try super.encode(to: encoder)
    }

    /// Reports what the network says, which the client that asked reads and nobody else.
    /// - Parameters:
    ///   - answer: the text in lines; empty for nothing. 1,024 characters are kept.
    ///   - asksForReply: whether the network waits for a reply, which comes as another action. If not, the exchange is over.
    public func fulfill(with answer: String, asksForReply: Bool = false) {
        complete(.fulfilled(ServiceAnswer(answer, asks: asksForReply).wire))
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
