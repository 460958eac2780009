// CXCustomAction: a client pressed one of the provider's own buttons.

internal import CallModel
internal import DBus

/// Performs one of the provider's own buttons. The provider defines the arguments and the result. The system passes
/// both on unchecked, so validate `arguments`. Not in CallKit.
public final class CXCustomAction: CXAction, @unchecked Sendable {
    /// The button's identifier, as in the configuration's `customActions`.
    public let identifier: String
    /// The client's arguments, with lower-case dashed keys.
    public let arguments: [String: CXValue]

    init(identifier: String, arguments: [String: CXValue], answer: @escaping Answer) {
        self.identifier = identifier
        self.arguments = arguments
        super.init(uuid: UUID(), timeoutDate: .distantFuture, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case identifier, arguments
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try values.decode(String.self, forKey: .identifier)
        arguments = try values.decode([String: CXValue].self, forKey: .arguments)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(identifier, forKey: .identifier)
        try values.encode(arguments, forKey: .arguments)
        try super.encode(to: encoder)
    }

    /// Reports that the action was performed, with a result for the client.
    public func fulfill(with result: [String: CXValue]) { complete(.fulfilled(result.mapValues(\.variant))) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
