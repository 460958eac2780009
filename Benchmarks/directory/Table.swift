// The same numbers in SQLite: the smallest and fastest table that it has for them.

internal import CSQLite
internal import Glibc

/// A table whose row numbers are the telephone numbers, and a prepared statement that asks for one.
final class Table {
    private var database: OpaquePointer?
    private var question: OpaquePointer?

    init(_ path: String) throws {
        remove(path)
        guard sqlite3_open(path, &database) == SQLITE_OK else { throw Failure(text: "sqlite3_open") }
        try run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA mmap_size = 1073741824")
        try run("PRAGMA locking_mode = EXCLUSIVE")
        try run("CREATE TABLE blocked (number INTEGER PRIMARY KEY)")
    }

    deinit {
        sqlite3_finalize(question)
        sqlite3_close(database)
    }

    func fill(_ numbers: [Int64]) throws {
        try run("BEGIN")
        var statement: OpaquePointer?
        sqlite3_prepare_v2(database, "INSERT INTO blocked VALUES (?)", -1, &statement, nil)
        for number in numbers {
            sqlite3_bind_int64(statement, 1, number)
            guard sqlite3_step(statement) == SQLITE_DONE else { throw Failure(text: "insert of \(number)") }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        try run("COMMIT")
        sqlite3_prepare_v2(database, "SELECT 1 FROM blocked WHERE number = ?", -1, &question, nil)
    }

    func has(_ number: Int64) throws -> Bool {
        sqlite3_bind_int64(question, 1, number)
        defer { sqlite3_reset(question) }
        switch sqlite3_step(question) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Failure(text: "question of \(number)")
        }
    }

    /// In bytes.
    var size: Int {
        func pragma(_ name: String) -> Int {
            var statement: OpaquePointer?
            sqlite3_prepare_v2(database, "PRAGMA \(name)", -1, &statement, nil)
            defer { sqlite3_finalize(statement) }
            return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
        }
        return pragma("page_count") * pragma("page_size")
    }

    private func run(_ text: String) throws {
        guard sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK else { throw Failure(text: text) }
    }
}
