// Whose something is: what one of them may have is its share.

/// A client of the bus, by its unique name, or a plugin.
public enum Owner: Sendable, Hashable, CustomStringConvertible {
    case client(String)
    case plugin(String)

    public var description: String {
        switch self {
        case .client(let name): "client \(name)"
        case .plugin(let id): "plugin \(id)"
        }
    }

    var isClient: Bool { if case .client = self { true } else { false } }
}
