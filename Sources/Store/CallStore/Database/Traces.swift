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
    func take() -> Bool {
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
    var inLog = false
    private(set) var inPages = false
    private var lastRewrite: MonotonicTime?

    /// A larger file takes too long to be written anew after each deletion, in bytes.
    private static let smallFile: UInt64 = 32 << 20
    /// How often a larger file is written anew at most, in milliseconds.
    private static let pause = 3_600_000

    mutating func add() { (inLog, inPages) = (true, true) }

    /// - Parameter size: of the database, in bytes.
    func mayRewrite(_ size: UInt64) -> Bool {
        guard size > Self.smallFile, let lastRewrite else { return true }
        return MonotonicTime.now.milliseconds(since: lastRewrite) >= Self.pause
    }

    mutating func removed(byRewriting isRewritten: Bool) {
        inLog = false
        guard isRewritten else { return }
        inPages = false
        lastRewrite = .now
    }
}
