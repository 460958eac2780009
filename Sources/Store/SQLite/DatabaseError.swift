// DatabaseError: why SQLite could not do something.

internal import CSQLite

public struct DatabaseError: Error, Sendable, Hashable {
    /// What kind of failure it is: SQLite's primary result code.
    public enum Kind: Int32, Sendable {
        case error = 1
        case busy = 5
        case locked = 6
        case outOfMemory = 7
        case readOnly = 8
        case interrupted = 9
        case inputOutput = 10
        case corrupt = 11
        case full = 13
        case cannotOpen = 14
        case tooBig = 18
        case constraint = 19
        case misuse = 21
        case notADatabase = 26
    }

    /// Any other failure is an `error`.
    public let kind: Kind
    /// SQLite's extended result code.
    public let code: Int32
    /// For people, in English. It may name tables and columns, but has no value.
    public let message: String

    init(_ kind: Kind, _ message: String) { (self.kind, code, self.message) = (kind, kind.rawValue, message) }

    /// The failure that a function of SQLite has just returned.
    ///
    /// - Parameter database: has the message; nil for that of the code.
    init(code: Int32, of database: OpaquePointer? = nil) {
        kind = Kind(rawValue: code & 0xFF) ?? .error
        self.code = code
        let message = database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.message = message.map { String(cString: $0) } ?? "code \(code)"
    }
}

/// A value of the file is of another kind than what was asked for, or there is no such column.
public struct RowDecodingError: Error, Sendable, Hashable {
    /// Its name; "1" for the only one.
    public let column: String
}
