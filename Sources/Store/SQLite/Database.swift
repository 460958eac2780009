// Database: runs statements on a connection.

internal import CSQLite

/// The database of a connection, for the time of a piece of work.
public final class Database {
    private let raw: OpaquePointer
    private var isClosed = false
    /// Statements that were used, by their text. One that is being used is not among them.
    private var statements: [String: Statement] = [:]
    /// Called with the text of each statement that is run, for tests.
    public var onStatement: ((String) -> Void)?

    private static let mostStatements = 64

    init(path: String) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw DatabaseError(code: code)
        }
        raw = opened
        ock_sqlite_quote_names_only(raw)
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements = [:]
        sqlite3_close_v2(raw)
    }

    func checkIsOpen() throws(DatabaseError) {
        if isClosed { throw DatabaseError(.misuse, "the connection is closed") }
    }

    func waitForLocks(_ timeout: Duration) {
        sqlite3_busy_timeout(raw, Int32(clamping: Int(timeout / .milliseconds(1))))
    }

    func interrupt() { sqlite3_interrupt(raw) }

    // MARK: statements

    /// Runs one statement.
    public func execute(_ statement: SQL) throws { try forEach(statement) { _ in true } }

    /// Runs one statement. Each `?` of the text stands for an argument.
    public func execute(sql text: String, arguments: [any DatabaseValueConvertible] = []) throws {
        try execute(SQL(text, arguments))
    }

    /// Runs any number of statements without arguments.
    public func run(script: String) throws(DatabaseError) {
        try checkIsOpen()
        let code = sqlite3_exec(raw, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, of: raw) }
    }

    /// Runs one statement, and passes its rows to `body` until that returns false.
    public func forEach(_ sql: SQL, _ body: (Row) throws -> Bool) throws {
        try checkIsOpen()
        onStatement?(sql.text)
        let statement = try statements.removeValue(forKey: sql.text) ?? Statement(sql.text, raw)
        defer { keep(statement, sql.text) }
        try statement.bind(sql.values)
        var columns: [String: Int]?
        while try statement.step() {
            let names = columns ?? statement.columns
            columns = names
            guard try body(Row(columns: names, values: try statement.values)) else { break }
        }
    }

    private func keep(_ statement: Statement, _ text: String) {
        statement.reset()
        if statements.count >= Self.mostStatements { statements = [:] }
        statements[text] = statement
    }

    /// The id of the last row that was inserted.
    public var lastInsertedRowID: Int64 { isClosed ? 0 : sqlite3_last_insert_rowid(raw) }

    /// How many rows the last statement has changed, without triggers.
    public var changesCount: Int { isClosed ? 0 : Int(sqlite3_changes64(raw)) }

    /// How many rows were changed since the connection was opened, by triggers, too.
    public var totalChangesCount: Int { isClosed ? 0 : Int(sqlite3_total_changes64(raw)) }

    // MARK: transactions

    func transaction<Value>(_ begin: String, _ body: (Database) throws -> Value) throws -> Value {
        try execute(sql: begin)
        do {
            let value = try body(self)
            try execute(sql: "COMMIT")
            return value
        } catch {
            // SQLite ends the transaction itself after some failures. An interruption that came too late for what has failed
            // may stop this as well.
            for _ in 0..<3 where sqlite3_get_autocommit(raw) == 0 { try? execute(sql: "ROLLBACK") }
            throw error
        }
    }

    /// Moves everything from the WAL into the file, and empties it.
    ///
    /// - Throws: `busy` if another connection reads what is in it.
    public func emptyLog() throws(DatabaseError) {
        try checkIsOpen()
        let code = sqlite3_wal_checkpoint_v2(raw, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, of: raw) }
    }
}
