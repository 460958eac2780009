// Connection: one connection to a file of SQLite. The house has this module of its own because GRDB brings 54 MB of
// Foundation into the process.

internal import CSQLite
internal import Synchronization

/// Does one piece of work at a time; others wait for their turn. Work does not ask for a turn of its own.
public final class Connection: Sendable {
    /// Is touched by whose turn it is, and nobody else.
    nonisolated(unsafe) private let database: Database
    private let turn = Mutex(())
    /// A closed connection must not be interrupted.
    private let isOpen = Mutex(true)

    /// Opens a file, which is made if there is none.
    ///
    /// - Parameters:
    ///   - path: the default is a database in memory, which ends with the connection.
    ///   - lockTimeout: how long to wait for a lock of another connection.
    public init(path: String = ":memory:", lockTimeout: Duration = .zero) throws(DatabaseError) {
        database = try Database(path: path)
        database.waitForLocks(lockTimeout)
    }

    deinit { close() }

    /// Runs `body` in a transaction, which is written to the file when this returns. If it throws, nothing is.
    public func write<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        try turn.withLock { _ in try database.transaction("BEGIN IMMEDIATE", body) }
    }

    /// Runs `body` in a transaction: all that it reads is of one state of the file.
    public func read<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        try turn.withLock { _ in try database.transaction("BEGIN", body) }
    }

    /// Runs `body`, in which each statement is a transaction.
    public func withoutTransaction<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        try turn.withLock { _ in
            try database.checkIsOpen()
            return try body(database)
        }
    }

    /// Lets the statements fail that run now. May be called on any thread.
    public func interrupt() { isOpen.withLock { if $0 { database.interrupt() } } }

    /// Closes the file when the present work is done. Later work fails.
    public func close() {
        isOpen.withLock { $0 = false }
        turn.withLock { _ in database.close() }
    }
}
