// WireID: what actions and transactions are called between a host and a provider.

/// What a host calls an action or a transaction. It may be any text; hosts have UUIDs, which are kept as such.
public enum WireID: Hashable, Sendable {
    case uuid(CallID)
    /// Anything but the text form of a UUID in lower case: only `init(_:)` makes it.
    case other(String)

    /// Keeps the text as it is.
    public init(_ text: String) {
        if let id = CallID(text), id.description == text { self = .uuid(id) } else { self = .other(text) }
    }

    /// The UUID that the text is, in upper or lower case; nil if it is none.
    public var uuidInEitherCase: CallID? {
        switch self {
        case .uuid(let id): id
        case .other(let text): CallID(text)
        }
    }

    public var text: String {
        switch self {
        case .uuid(let id): id.description
        case .other(let text): text
        }
    }
}

extension WireID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
