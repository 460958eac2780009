// DatabaseFile: recents.sqlite, opened when it is needed, and again after it was replaced.

internal import EventLoop
internal import Files
internal import SQLite
internal import Synchronization

/// The file and the connection to it. All members may block: call them on the queue of `Storage` only.
final class DatabaseFile: Sendable {
    private struct Open {
        let connection: Connection
        /// Tells whether the path still names this file.
        let identity: FileIdentity
    }

    private struct State {
        var open: Open?
        var lastIdentity: FileIdentity?
        /// The file that was found to be corrupt last.
        var damaged: FileIdentity?
        var generation = 0
        /// Whether another process has had the file, too.
        var hadCompany = false
        /// What SQLite calls the version of the data, which only others change.
        var version: Int?
        var traces = Traces()
        /// Nothing but this may be interrupted.
        var isRewriting = false
    }

    static let name = "recents.sqlite"
    /// How long to wait for a lock of another process.
    private static let lockTimeout = Duration.milliseconds(250)

    let folder: String
    var path: String { folder + "/" + Self.name }
    private let state = Mutex(State())
    private let lock: FolderLock
    private let aside: CopiesAside

    init(folder: String) {
        self.folder = folder
        lock = FolderLock(folder: folder)
        aside = CopiesAside(of: Self.name, in: folder)
    }

    /// Grows whenever a different file is opened.
    var generation: Int { state.withLock { $0.generation } }

    /// Runs `body` with the database, in a transaction that is durable when this returns.
    ///
    /// - Parameter isPortion: whether what is deleted is erased later.
    func write<Value: Sendable>(
        isPortion: Bool = false, _ body: (Database) throws -> Value
    ) throws(StorageFailure) -> Value {
        let (value, hasDeleted) = try attempt { connection in
            try connection.write { (try body($0), try Deletions.collect($0)) }
        }
        lock.touch()
        if hasDeleted {
            state.withLock { $0.traces.add() }
            if !isPortion { erase() }
        }
        return value
    }

    func read<Value: Sendable>(_ body: (Database) throws -> Value) throws(StorageFailure) -> Value {
        try attempt { connection in try connection.read(body) }
    }

    private func attempt<Value>(_ body: (Connection) throws -> Value) throws(StorageFailure) -> Value {
        do {
            return try body(try connection())
        } catch {
            // Do not rely on a connection to a corrupt file.
            let failure = StorageFailure(error)
            if case .corrupt = failure {
                state.withLock { $0.damaged = $0.open?.identity ?? FileIdentity(path) }
                close()
            }
            throw failure
        }
    }

    // MARK: other processes

    /// Returns whether other processes have changed the data since this was asked last.
    func isChangedByOthers() throws(StorageFailure) -> Bool {
        let version = try read(Self.version)
        return state.withLock { state in
            let isChanged = state.version != version
            state.version = version
            if isChanged { state.hadCompany = true }
            return isChanged
        }
    }

    private static func version(_ database: Database) throws -> Int? {
        try Int.fetchOne(database, sql: "PRAGMA data_version")
    }

    /// Whether other processes have had the file, and all of them have ended.
    func isLeftAlone() -> Bool {
        guard state.withLock({ $0.hadCompany }), lock.isAlone else { return false }
        state.withLock { $0.hadCompany = false }
        return true
    }

    // MARK: erasing

    /// Whether the files may still have what was deleted, because erasing it has failed.
    var hasTraces: Bool { state.withLock { $0.open != nil && $0.traces.isDue } }

    /// Removes what was deleted from the files. SQLite overwrites deleted rows in the database, but the WAL keeps them
    /// until it is emptied, and pages that were split keep parts of them until the file is written anew.
    func erase() {
        guard hasTraces, let connection = state.withLock({ $0.open?.connection }) else { return }
        do {
            try connection.withoutTransaction { database in
                try database.emptyLog()
                let pages =
                    try Int.fetchOne(
                        database,
                        sql: "SELECT (page_count - freelist_count) * page_size FROM "
                            + "pragma_page_count, pragma_freelist_count, pragma_page_size") ?? 0
                state.withLock { $0.traces.emptiedLog(of: pages) }
                guard hasTraces else { return }
                state.withLock { $0.isRewriting = true }
                defer { state.withLock { $0.isRewriting = false } }
                try database.execute(sql: "VACUUM")
                state.withLock { $0.isRewriting = false }
                try database.emptyLog()
            }
            state.withLock { if $0.traces.isDue { $0.traces.rewroteFile() } }
        } catch {
            // Another process reads the file, the disk is full, or somebody waits: Storage tries again.
        }
    }

    /// Stops erasing in a large file, which takes seconds, because a request waits.
    func interruptErasing() {
        state.withLock { if $0.isRewriting, $0.traces.isLarge { $0.open?.connection.interrupt() } }
    }

    /// Closes the connection, which moves everything from the WAL into the file.
    func close() {
        let open = state.withLock { state in
            defer { state.open = nil }
            return state.open
        }
        open?.connection.close()
    }

    /// Returns the connection. Opens one if there is none, or if the path names a different file now.
    private func connection() throws -> Connection {
        if let open = state.withLock({ $0.open }) {
            if open.identity == FileIdentity(path) { return open.connection }
            close()
        }
        try FileWriter.makeFolder(folder)
        let isAlone = try lock.acquire()
        defer { lock.share() }
        try clearTheWay()
        let connection = try Connection(path: path, lockTimeout: Self.lockTimeout)
        try connection.withoutTransaction { try Self.prepare($0) }
        try Schema.migrate(connection)
        try connection.withoutTransaction { try Deletions.watch($0) }
        aside.removeOld(on: try connection.read { try RecentDays.known($0) ?? StoreMoment(date: .now, ran: .zero).day })
        guard let identity = FileIdentity(path) else { throw StorageFailure.unavailable("\(path) was deleted") }
        // The calls that were under way when the last process ended. Those of other processes go on.
        let isFirst = state.withLock { $0.lastIdentity == nil }
        if isFirst, isAlone { try connection.write { try RecentTable.closeInterrupted($0) } }
        let version = try connection.read(Self.version)
        state.withLock { state in
            if !isAlone { state.hadCompany = true }
            state.version = version
            if state.lastIdentity != identity { state.generation += 1 }
            state.lastIdentity = identity
            state.open = Open(connection: connection, identity: identity)
            // The last process may have ended before it erased what it had deleted.
            state.traces.foundLog()
        }
        erase()
        return connection
    }

    /// Makes sure that SQLite opens files, and not what somebody else put in their places.
    private func clearTheWay() throws(StorageFailure) {
        if let kind = Self.obstacle(path) { throw .corrupt("it is a \(kind), expected a file") }
        for ending in ["-wal", "-shm"] where Self.obstacle(path + ending) != nil {
            _ = try aside.move([DatabaseFile.name + ending])
        }
    }

    /// What stands in the place of a file; nil if that is a file, or nothing.
    private static func obstacle(_ path: String) -> FileKind? {
        guard let status = try? FileStatus(path), status.kind != .regular else { return nil }
        return status.kind
    }

    /// Acknowledged rows survive a power cut, and deleted ones are overwritten in the file.
    private static func prepare(_ database: Database) throws {
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal" else {
            throw StorageFailure.unavailable("it can have no write-ahead log")
        }
        for setting in ["synchronous = FULL", "secure_delete = ON", "foreign_keys = ON"] {
            try database.run(script: "PRAGMA \(setting)")
        }
    }

    /// Renames the file, its WAL and its shared memory, to make room for a new file, and removes earlier copies.
    ///
    /// - Returns: the new name.
    func setAside() throws(StorageFailure) -> String {
        close()
        // Another process may have done so already.
        guard state.withLock({ $0.damaged == nil || $0.damaged == FileIdentity(path) }) else { return "a copy" }
        // The main file last: as long as it is in place, the other two belong to it.
        return try aside.move(["-shm", "-wal", ""].map { Self.name + $0 })
    }

    /// Removes the copies of damaged files that were set aside.
    func removeCopies() { aside.removeAll() }
}
