// DatabaseFile: recents.sqlite, opened when it is needed and again when it has to be.

internal import EventLoop
internal import Files
internal import Foundation
internal import GRDB
internal import Glibc
internal import Synchronization

/// The file and the connection to it. Its members may take time: they are called on the queue of `Storage` and nowhere
/// else.
final class DatabaseFile: Sendable {
    private struct Open {
        let connection: DatabaseQueue
        /// Which file it was opened as: a name may come to mean another.
        let identity: FileIdentity
    }

    private struct State {
        var open: Open?
        var lastIdentity: FileIdentity?
        var generation = 0
    }

    static let name = "recents.sqlite"
    /// How long another process may keep us waiting, in seconds.
    private static let patience = 0.25

    let folder: String
    var path: String { folder + "/" + Self.name }
    private let state = Mutex(State())
    private let lock: FolderLock

    init(folder: String) {
        self.folder = folder
        lock = FolderLock(folder: folder)
    }

    /// Grows whenever another file is opened than the last one.
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
            // The next attempt begins anew: nothing of a failed connection is relied on.
            let failure = StorageFailure(error)
            if case .corrupt = failure { close() }
            throw failure
        }
    }

    /// Closes the connection, which leaves everything in the one file.
    func close() {
        let open = state.withLock { state in
            defer { state.open = nil }
            return state.open
        }
        try? open?.connection.close()
    }

    /// The connection, which is made if there is none, or if its file is no longer the one of that name.
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
            // What is acknowledged survives a power cut, and what is deleted is gone from the file.
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// Renames the file and what belongs to it, so that a new one can be begun.
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
        // The main file last: until it is gone, all three are the old ones.
        for ending in ["-shm", "-wal", ""] {
            guard rename(path + ending, "\(folder)/\(name)\(ending)") == 0 || errno == ENOENT else {
                throw StorageFailure(SystemError(call: "rename \(path + ending)", code: errno))
            }
        }
        return name
    }
}
