// CXCustomAction: a button of the provider's own was pressed.

internal import CallModel
internal import DBus

/// A provider's own button was pressed. The system passes the arguments and the result on unread, so do not trust
/// `arguments`. Not in CallKit.
public final class CXCustomAction: CXAction, @unchecked Sendable {
    /// The button, as in the configuration's `customActions`.
    public let identifier: String
    /// The arguments from the caller that pressed the button, by lower-case dashed keys.
    public let arguments: [String: CXValue]

    init(identifier: String, arguments: [String: CXValue], answer: @escaping Answer) {
        self.identifier = identifier
        self.arguments = arguments
        super.init(uuid: .fresh(), timeoutDate: .distantFuture, answer: answer)
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

    /// Says that it is done, with a result for the caller that pressed the button.
    public func fulfill(with result: [String: CXValue]) { complete(.fulfilled(result.mapValues(\.variant))) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
