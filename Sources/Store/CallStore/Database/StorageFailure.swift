// StorageFailure: why the file could not be read or written.

internal import EventLoop
internal import GRDB

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
            let detail = error.message ?? "code \(error.extendedResultCode.rawValue)"
            switch error.resultCode {
            // No statement of the store breaks a constraint of a sound file. FTS5 says so of an index that is damaged.
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT: self = .corrupt(detail)
            // The statements are always the same: the tables are not those that the store made.
            case .SQLITE_ERROR where Self.foreignTables.contains { detail.contains($0) }: self = .corrupt(detail)
            case .SQLITE_FULL: self = .unavailable("the disk is full")
            case .SQLITE_READONLY: self = .unavailable("read-only: \(detail)")
            case .SQLITE_BUSY, .SQLITE_LOCKED: self = .unavailable("locked by another process")
            case .SQLITE_CANTOPEN: self = .unavailable("cannot be opened: \(detail)")
            case .SQLITE_IOERR: self = .unavailable("input or output failed: \(detail)")
            default: self = .unavailable(detail)
            }
        case is RowDecodingError: self = .corrupt("a value is of the wrong kind")
        case let error as SystemError: self = .unavailable("\(error)")
        default: self = .unavailable("\(type(of: error))")
        }
    }
}
