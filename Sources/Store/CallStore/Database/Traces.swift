// Traces: what was deleted and is still in the files.

internal import EventLoop
internal import SQLite

/// Notices that who called was deleted or replaced. Triggers note it, in a table of the connection and in the transaction
/// that does it: no statement can forget it, and what is rolled back has not been.
enum Deletions {
    /// Begins to notice.
    static func watch(_ database: Database) throws {
        try database.run(script: "CREATE TEMP TABLE deletion (noticed INTEGER PRIMARY KEY)")
        let changes = [
            "DELETE ON recent", "DELETE ON party", "DELETE ON favorite", "UPDATE OF name, normalized ON favorite",
        ]
        for (number, change) in changes.enumerated() {
            try database.run(
                script: """
                    CREATE TEMP TRIGGER deletion\(number) AFTER \(change)
                    BEGIN INSERT OR IGNORE INTO deletion VALUES (1); END
                    """)
        }
    }

    /// Returns whether this transaction has deleted something.
    static func collect(_ database: Database) throws -> Bool {
        guard try Int.fetchOne(database, sql: "SELECT noticed FROM deletion") != nil else { return false }
        try database.execute(sql: "DELETE FROM deletion")
        return true
    }
}

/// Where there may be something that was deleted.
struct Traces: Sendable {
    private var inLog = false
    private var inPages = false
    private var lastRewrite: MonotonicTime?
    /// Whether it takes too long to write the file anew after each deletion.
    private(set) var isLarge = false

    /// The bytes in use of a file that is not large.
    private static let smallFile = 32 << 20
    /// How often a large file is written anew at most.
    private static let pause = Duration.seconds(3_600)

    mutating func add() { (inLog, inPages) = (true, true) }

    /// There is a WAL of the last process.
    mutating func foundLog() { inLog = true }

    /// Whether there is something to erase now.
    var isDue: Bool {
        if inLog || !inPages { return inLog }
        guard isLarge, let lastRewrite else { return true }
        return MonotonicTime.now.duration(since: lastRewrite) >= Self.pause
    }

    /// - Parameter size: the bytes of the database that are in use.
    mutating func emptiedLog(of size: Int) {
        inLog = false
        isLarge = size > Self.smallFile
    }

    mutating func rewroteFile() {
        (inLog, inPages) = (false, false)
        lastRewrite = .now
    }
}
