// A transaction is in the file as a whole or not at all.

import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@Suite struct TransactionTests {
    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let connection: Connection
    private var path: String { folder.file("numbers.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        connection = try Connection(path: folder.file("numbers.sqlite"))
        try connection.withoutTransaction { database in
            try database.run(script: "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON")
            try database.run(
                script: """
                    CREATE TABLE number (n INTEGER PRIMARY KEY);
                    CREATE TABLE user (n REFERENCES number(n) DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
    }

    private var numbers: [Int] {
        get throws { try Connection(path: path).read { try Int.fetchAll($0, "SELECT n FROM number ORDER BY n") } }
    }

    private func add(_ number: Int, _ database: Database) throws {
        try database.execute("INSERT INTO number (n) VALUES (\(number))")
    }

    @Test func whatIsRefusedIsNotInTheFile() throws {
        try connection.write { try add(1, $0) }
        #expect(throws: Refusal.self) {
            try connection.write { database in
                try add(2, database)
                throw Refusal()
            }
        }
        #expect(throws: DatabaseError.self) {
            try connection.write { database in
                try add(3, database)
                try add(1, database)
            }
        }
        #expect(try numbers == [1])
        try connection.write { try add(4, $0) }
        #expect(try numbers == [1, 4])
    }

    /// That a reference is wrong is noticed at the end.
    @Test func aTransactionThatCannotEndIsUndone() throws {
        let error = #expect(throws: DatabaseError.self) {
            try connection.write { database in
                try add(1, database)
                try database.execute(sql: "INSERT INTO user VALUES (99)")
            }
        }
        #expect(error?.kind == .constraint)
        #expect(try numbers == [])
        try connection.write { try add(2, $0) }
        #expect(try numbers == [2])
    }

    @Test func allThatIsReadIsOfOneState() throws {
        let other = try Connection(path: path)
        try connection.read { database in
            #expect(try Int.fetchOne(database, "SELECT count(*) FROM number") == 0)
            try other.write { try add(1, $0) }
            #expect(try Int.fetchOne(database, "SELECT count(*) FROM number") == 0)
            // What is read stays in the log.
            #expect(throws: DatabaseError.self) { try other.withoutTransaction { try $0.emptyLog() } }
        }
        #expect(try connection.read { try Int.fetchOne($0, "SELECT count(*) FROM number") } == 1)
        try other.withoutTransaction { try $0.emptyLog() }
    }

    @Test(arguments: [0, 50]) func aLockOfAnotherIsAnError(_ milliseconds: Int) throws {
        let other = try Connection(path: path, lockTimeout: .milliseconds(milliseconds))
        try connection.write { database in
            try add(1, database)
            let start = ContinuousClock.now
            let error = #expect(throws: DatabaseError.self) { try other.write { try add(2, $0) } }
            #expect(error?.kind == .busy)
            #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
        }
        try other.write { try add(2, $0) }
        #expect(try numbers == [1, 2])
    }

    @Test func workIsInterruptedFromAnotherThread() throws {
        let (connection, isStarted, isDone) = (connection, Flag(), Flag())
        Thread.detachNewThread {
            // An interruption that comes between two statements stops nothing.
            while !isDone.isSet {
                if isStarted.isSet { connection.interrupt() }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        let error = #expect(throws: DatabaseError.self) {
            try connection.write { database in
                try add(1, database)
                isStarted.set()
                let endless = "WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)"
                return try Int.fetchOne(database, sql: "\(endless) SELECT count(*) FROM endless")
            }
        }
        isDone.set()
        #expect(error?.kind == .interrupted)
        #expect(try numbers == [])
    }

    @Test func aClosedConnectionRefuses() throws {
        connection.close()
        connection.close()
        connection.interrupt()
        for work in [connection.read, connection.write, connection.withoutTransaction]
            as [((Database) throws -> Int) throws -> Int]
        {
            let error = #expect(throws: DatabaseError.self) { try work { $0.changesCount } }
            #expect(error?.kind == .misuse)
        }
    }

    @Test func whatCannotBeOpenedSaysWhy() throws {
        let missing = #expect(throws: DatabaseError.self) {
            try Connection(path: folder.file("nowhere/numbers.sqlite"))
        }
        #expect(missing?.kind == .cannotOpen)
        try folder.write(String(repeating: "no database ", count: 100), to: "text")
        let text = try Connection(path: folder.file("text"))
        let wrong = #expect(throws: DatabaseError.self) {
            try text.read { try Row.fetchAll($0, "SELECT * FROM number") }
        }
        #expect(wrong?.kind == .notADatabase)
    }

    @Test func migrationsAreMadeOnce() throws {
        var made: [String] = []
        func migrations(failing: Bool) -> [Migration] {
            ["1", "2", "3"].map { name in
                Migration(name) { database in
                    try add(Int(name) ?? 0, database)
                    if failing, name == "2" { throw Refusal() }
                    made.append(name)
                }
            }
        }
        // GRDB has noted one, and another of a later release.
        try connection.withoutTransaction { database in
            try database.run(
                script: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    INSERT INTO grdb_migrations VALUES ('1'), ('later');
                    """)
        }
        #expect(throws: Refusal.self) { try Migration.run(migrations(failing: true), on: connection) }
        #expect(try numbers == [])
        for _ in 0..<2 { try Migration.run(migrations(failing: false), on: connection) }
        #expect(made == ["2", "3"])
        #expect(try numbers == [2, 3])
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
