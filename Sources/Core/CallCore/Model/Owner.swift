// The owner of a call, a provider or a request. Each owner has a share of every limit.

/// A program, however many connections to the bus it has, or a plugin.
public enum Owner: Sendable, Hashable, CustomStringConvertible {
    /// A sandboxed app, by its id. All that cannot be identified are one, with an empty id.
    case app(String)
    /// A program of the user, by the number of its process and when that was started, in clock ticks.
    case process(UInt32, since: UInt64)
    /// A client of the bus whose process is not known, by its unique name.
    case client(String)
    case plugin(String)

    public var description: String {
        switch self {
        case .app(""): "the unknown apps"
        case .app(let id): "app \(id)"
        case .process(let process, _): "process \(process)"
        case .client(let name): "client \(name)"
        case .plugin(let id): "plugin \(id)"
        }
    }

    /// The verb after its description.
    package var has: String { self == .app("") ? "have" : "has" }

    package var isPlugin: Bool { if case .plugin = self { true } else { false } }

    /// Whether it has the small share, which no app can enlarge by more connections or processes.
    package var isModest: Bool {
        switch self {
        case .app, .client: true
        case .process, .plugin: false
        }
    }
}
