// Traces: what was deleted and is still in the files.

internal import EventLoop
internal import GRDB
internal import Synchronization

/// Notices that a committed transaction has deleted or replaced who called. No deletion can be forgotten this way.
final class DeletionObserver: TransactionObserver, Sendable {
    private struct State {
        var isPending = false
        var isCommitted = false
    }

    private let state = Mutex(State())

    /// Whether something was deleted since this was asked last.
    func popCommitted() -> Bool {
        state.withLock { state in
            defer { state.isCommitted = false }
            return state.isCommitted
        }
    }

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        switch kind {
        case .delete(let table): ["recent", "party", "favorite"].contains(table)
        case .update("favorite", let columns): columns.contains("name") || columns.contains("normalized")
        case .update, .insert: false
        }
    }

    func databaseDidChange(with event: DatabaseEvent) { state.withLock { $0.isPending = true } }

    func databaseDidCommit(_ database: Database) {
        state.withLock { state in
            if state.isPending { state = State(isCommitted: true) }
        }
    }

    func databaseDidRollback(_ database: Database) { state.withLock { $0.isPending = false } }
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
