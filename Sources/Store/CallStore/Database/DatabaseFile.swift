// DatabaseFile: recents.sqlite, opened when it is needed, and again after it was replaced.

internal import EventLoop
internal import Files
internal import Foundation
internal import GRDB
internal import Glibc
internal import Synchronization

/// The file and the connection to it. All members may block: call them on the queue of `Storage` only.
final class DatabaseFile: Sendable {
    private struct Open {
        let connection: DatabaseQueue
        /// Tells whether the path still names this file.
        let identity: FileIdentity
    }

    private struct State {
        var open: Open?
        var lastIdentity: FileIdentity?
        var generation = 0
    }

    static let name = "recents.sqlite"
    /// How long to wait for a lock of another process, in seconds.
    private static let patience = 0.25

    let folder: String
    var path: String { folder + "/" + Self.name }
    private let state = Mutex(State())
    private let lock: FolderLock

    init(folder: String) {
        self.folder = folder
        lock = FolderLock(folder: folder)
    }

    /// Grows whenever a different file is opened.
    var generation: Int { state.withLock { $0.generation } }

    /// Runs `body` with the database, in a transaction that is durable when this returns.
    func write<Value>(_ body: (Database) throws -> Value) throws(StorageFailure) -> Value {
        try attempt { connection in try connection.write(body) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(StorageFailure) -> Value {
        try attempt { connection in try connection.read(body) }
    }

    private func attempt<Value>(_ body: (DatabaseQueue) throws -> Value) throws(StorageFailure) -> Value {
        do {
            return try body(try connection())
        } catch {
            // Do not rely on a connection to a corrupt file.
            let failure = StorageFailure(error)
            if case .corrupt = failure { close() }
            throw failure
        }
    }

    /// Closes the connection, which moves everything from the WAL into the file.
    func close() {
        let open = state.withLock { state in
            defer { state.open = nil }
            return state.open
        }
        try? open?.connection.close()
    }

    /// Returns the connection. Opens one if there is none, or if the path names a different file now.
    private func connection() throws -> DatabaseQueue {
        if let open = state.withLock({ $0.open }) {
            if open.identity == FileIdentity(path) { return open.connection }
            close()
        }
        try FileWriter.makeFolder(folder)
        try lock.take()
        let connection = try DatabaseQueue(path: path, configuration: Self.configuration)
        try Schema.migrate(connection)
        guard let identity = FileIdentity(path) else { throw StorageFailure.unavailable("\(path) was deleted") }
        state.withLock { state in
            if state.lastIdentity != identity { state.generation += 1 }
            state.lastIdentity = identity
            state.open = Open(connection: connection, identity: identity)
        }
        return connection
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "recents"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            // Acknowledged rows survive a power cut, and deleted ones are overwritten in the file.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// Renames the file, its WAL and its shared memory, to make room for a new file.
    ///
    /// - Returns: the new name.
    func setAside() throws(StorageFailure) -> String {
        close()
        var time = Glibc.time(nil)
        var calendar = tm()
        gmtime_r(&time, &calendar)
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y%m%d-%H%M%S", &calendar)
        let date = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var name = "\(Self.name).corrupt-\(date)"
        var count = 1
        while FileIdentity("\(folder)/\(name)") != nil {
            count += 1
            name = "\(Self.name).corrupt-\(date)-\(count)"
        }
        // The main file last: as long as it is in place, the other two belong to it.
        for ending in ["-shm", "-wal", ""] {
            guard rename(path + ending, "\(folder)/\(name)\(ending)") == 0 || errno == ENOENT else {
                throw StorageFailure(SystemError(call: "rename \(path + ending)", code: errno))
            }
        }
        return name
    }
}
