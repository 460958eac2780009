// Recents: takes in what is to be remembered of calls, and answers for it.

internal import CallModel
internal import EventLoop
internal import GRDB
internal import Numbers

/// The recents as the loop sees them. What cannot be written waits here and is tried again; whoever brought it is not told
/// that it is kept before it is.
@LoopActor
final class Recents {
    private struct Waiting: Sendable {
        let record: CallRecord
        let normalized: String
        let then: @LoopActor () -> Void
    }

    /// What is kept in memory of the file.
    struct Summary: Sendable, Hashable {
        var unreadMissed = 0
        var retention = Retention()
        var count = 0
    }

    private let storage: Storage
    private let plan: NumberPlan
    private var waiting: [Waiting] = []
    private var isWriting = false
    private var isFirst = true
    private var onFinished: (@LoopActor () -> Void)?
    private(set) var summary = Summary()
    private var isBuilding = false

    /// Called with the ids of rows that have changed; none = any number.
    var onChange: @LoopActor ([Int64]) -> Void = { _ in }
    /// Called when `summary` has changed.
    var onSummary: @LoopActor () -> Void = {}

    init(storage: Storage, plan: NumberPlan) {
        self.storage = storage
        self.plan = plan
    }

    /// Reads what is kept in memory. The first time in the life of this process, calls that were left open are closed.
    func load() {
        let closesInterrupted = isFirst
        storage.write { database in
            if closesInterrupted {
                try RecentTable.closeInterrupted(database)
                try Schema.count(database)
            }
            var summary = Summary()
            summary.retention = try Retention(database)
            summary.count = try summary.retention.prune(RecentTable.count(database), database)
            summary.unreadMissed = try RecentTable.unreadMissed(database)
            return summary
        } then: { [weak self] result in
            guard let self, case .success(let summary) = result else { return }
            isFirst = false
            take(summary)
            flush()
        }
    }

    // MARK: taking in

    /// Keeps what is known of a call; `then` is called when it is on the disk.
    func record(_ record: CallRecord, then: @escaping @LoopActor () -> Void) {
        waiting.append(Waiting(record: record, normalized: record.handle.map(plan.normalized) ?? "", then: then))
        flush()
    }

    /// Writes everything that waits in one transaction, unless one is under way: the next follows it.
    func flush() {
        guard !isWriting, !isFirst, !waiting.isEmpty else { return }
        isWriting = true
        let batch = waiting
        waiting = []
        let known = summary
        storage.write { database in
            var summary = known
            var ids: [Int64] = []
            for item in batch {
                let row = try RecentTable.record(item.record, normalized: item.normalized, database)
                if row.isNew { summary.count += 1 }
                if !ids.contains(row.id) { ids.append(row.id) }
            }
            summary.count = try summary.retention.prune(summary.count, database)
            summary.unreadMissed = try RecentTable.unreadMissed(database)
            return (ids, summary)
        } then: { [weak self] result in
            guard let self else { return }
            isWriting = false
            switch result {
            case .success(let (ids, summary)):
                for item in batch { item.then() }
                changed(ids)
                take(summary)
                flush()
                if !isWriting { finished() }
            case .failure:
                // Until the storage says that it is worth another try.
                waiting = batch + waiting
                finished()
            }
        }
    }

    /// Writes what waits, once more at most; `then` follows.
    func finish(then: @escaping @LoopActor () -> Void) {
        onFinished = then
        flush()
        if !isWriting { finished() }
    }

    private func finished() {
        let onFinished = onFinished
        self.onFinished = nil
        onFinished?()
    }

    // MARK: answering

    typealias Completion<Value> = @LoopActor (Result<Value, CallError>) -> Void

    func list(_ query: RecentQuery, then: @escaping Completion<[RecentRow]>) {
        storage.read { database in
            var missing = MissingBlocks()
            let rows = try query.rows(missing: &missing, database)
            return (rows, missing)
        } then: { [weak self] result in
            then(result.map { $0.0 }.mapError(Self.refusal))
            if case .success(let (_, missing)) = result, missing.areMany { self?.build(missing) }
        }
    }

    /// Stores what is not there of the blocks by which rows are found, some at a time, so that nobody waits for long.
    private func build(_ missing: MissingBlocks) {
        guard !isBuilding else { return }
        isBuilding = true
        storage.write {
            try missing.stored($0)
        } then: { [weak self] result in
            self?.isBuilding = false
            if case .success(let rest) = result, rest.areMany { self?.build(rest) }
        }
    }

    func row(_ id: Int64, then: @escaping Completion<RecentRow>) {
        storage.read {
            try RecentTable.row(id, $0)
        } then: { result in
            switch result {
            case .success(let row?): then(.success(row))
            case .success(nil): then(.failure(CallError(.invalidArguments, "no recent \(id)")))
            case .failure(let failure): then(.failure(Self.refusal(failure)))
            }
        }
    }

    func markRead(_ ids: [Int64], then: @escaping Completion<Void>) {
        change(ids, then: then) { try RecentTable.markRead(ids, $0) }
    }

    func delete(_ ids: [Int64], then: @escaping Completion<Void>) {
        change(ids, then: then) { try RecentTable.delete(ids, $0) }
    }

    func clear(then: @escaping Completion<Void>) {
        change([], then: then) { try RecentTable.clear($0) }
    }

    func setRetention(_ retention: Retention, then: @escaping Completion<Void>) {
        change([], then: then) { try retention.store($0) }
    }

    private func change(
        _ ids: [Int64], then: @escaping Completion<Void>, _ body: @escaping @Sendable (Database) throws -> Void
    ) {
        storage.write { database in
            try body(database)
            var summary = Summary()
            summary.retention = try Retention(database)
            summary.count = try summary.retention.prune(RecentTable.count(database), database)
            summary.unreadMissed = try RecentTable.unreadMissed(database)
            return summary
        } then: { [weak self] result in
            if case .success(let summary) = result {
                self?.changed(ids)
                self?.take(summary)
            }
            then(result.map { _ in }.mapError(Self.refusal))
        }
    }

    private func changed(_ ids: [Int64]) {
        onChange(ids.count > 16 ? [] : ids)
    }

    private func take(_ new: Summary) {
        guard new != summary else { return }
        summary = new
        onSummary()
    }

    nonisolated private static func refusal(_ failure: StorageFailure) -> CallError {
        CallError(.storeUnavailable, failure.text)
    }
}
