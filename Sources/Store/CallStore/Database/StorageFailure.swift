// StorageFailure: why the file could not be read or written.

internal import EventLoop
internal import SQLite

/// A failure of the file. Its text has nothing of the file's content.
enum StorageFailure: Error, Sendable, Hashable {
    /// The file cannot be used now, but may be later.
    case unavailable(String)
    /// The content of the file is invalid.
    case corrupt(String)

    /// For people: lower case, no full stop.
    var text: String {
        switch self {
        case .unavailable(let text): text
        case .corrupt(let text): "corrupt: \(text)"
        }
    }

    private static let foreignTables = ["no such ", " has no column named ", " already exists"]

    init(_ error: any Error) {
        switch error {
        case let failure as StorageFailure: self = failure
        case let error as DatabaseError:
            switch error.kind {
            // No statement of the store breaks a constraint of a sound file. FTS5 says so of an index that is damaged.
            case .corrupt, .notADatabase, .constraint: self = .corrupt(error.message)
            // The statements are always the same: the tables are not those that the store made.
            case .error where Self.foreignTables.contains { error.message.contains($0) }:
                self = .corrupt(error.message)
            case .full: self = .unavailable("the disk is full")
            case .readOnly: self = .unavailable("read-only: \(error.message)")
            case .busy, .locked: self = .unavailable("locked by another process")
            case .cannotOpen: self = .unavailable("cannot be opened: \(error.message)")
            case .inputOutput: self = .unavailable("input or output failed: \(error.message)")
            default: self = .unavailable(error.message)
            }
        case is RowDecodingError: self = .corrupt("a value is of the wrong kind")
        case let error as SystemError: self = .unavailable("\(error)")
        default: self = .unavailable("\(type(of: error))")
        }
    }
}
