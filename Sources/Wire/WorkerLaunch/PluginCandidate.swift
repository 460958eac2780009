// PluginCandidate: a file that a scan found, and whether it can be used.

public enum PluginCandidate: Hashable, Sendable {
    case usable(PluginFile)
    case rejected(id: String, path: String, PluginFileError)
    /// Not looked at: one with the same id, found at `winner`, comes before it.
    case shadowed(id: String, path: String, by: String)

    public var id: String {
        switch self {
        case .usable(let file): file.id
        case .rejected(let id, _, _), .shadowed(let id, _, _): id
        }
    }

    /// Where it was found: a library or a bundle, usable or not.
    public var location: String {
        switch self {
        case .usable(let file): file.location
        case .rejected(_, let path, _), .shadowed(_, let path, _): path
        }
    }

    /// The library to load; if there is none to load, where it was found.
    public var path: String {
        switch self {
        case .usable(let file): file.libraryPath
        case .rejected(_, let path, _), .shadowed(_, let path, _): path
        }
    }

    /// Whether it is there and could not be looked at.
    public var isPassing: Bool {
        if case .rejected(_, _, let error) = self { error.isPassing } else { false }
    }

    /// Why it is not used, naming the file; nil if it is.
    public var complaint: String? {
        switch self {
        case .usable: nil
        case .rejected(_, let path, let error): "\(path) \(error)"
        case .shadowed(_, let path, let winner): "\(path) is shadowed by \(winner)"
        }
    }
}
