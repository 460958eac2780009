// Recents: takes in the records of calls, and lists them.

internal import CallModel
internal import DBus
internal import EventLoop
internal import Numbers
internal import SQLite

/// The recents on the loop. A record that cannot be written waits here and is tried again; it is acknowledged
/// once it is on the disk.
@LoopActor
final class Recents {
    private struct Waiting: Sendable {
        let record: CallRecord
        let normalized: String
        let then: @LoopActor (Int64) -> Void
    }

    /// The part of the file that is kept in memory.
    struct Summary: Sendable, Hashable {
        var unreadMissed = 0
        var retention = Retention()
        /// Whether more rows are to be deleted than were at a time.
        var hasExcess = false

        init() {}

        /// Reads the file.
        init(_ database: Database) throws {
            retention = try Retention(database)
            unreadMissed = try RecentTable.unreadMissed(database)
        }

        /// Reads the file, after deleting what is not to be kept.
        init(pruning database: Database, at moment: StoreMoment) throws {
            let hasExcess = try Retention(database).prune(at: moment, database)
            try self.init(database)
            self.hasExcess = hasExcess
        }
    }

    private let storage: Storage
    private let portion: Int
    private let plan: NumberPlan
    private var waiting: [Waiting] = []
    /// What was asked after the records that wait.
    private var questions: [@LoopActor () -> Void] = []
    private var isWriting = false
    private var isPruning = false
    private var onFinished: (@LoopActor () -> Void)?
    private(set) var summary = Summary()
    private var lastMoment: MonotonicTime?
    /// The calls of this session that are under way.
    private var openCalls: Set<CallID> = []

    /// Called with the ids of rows that have changed; an empty list stands for any rows.
    var onChange: @LoopActor ([Int64]) -> Void = { _ in }
    /// Called when `summary` has changed.
    var onSummary: @LoopActor () -> Void = {}

    /// - Parameter portion: how many rows are changed at a time.
    init(storage: Storage, plan: NumberPlan, portion: Int = RecentTable.portion) {
        self.storage = storage
        self.portion = portion
        self.plan = plan
        storage.isBacklogged = { [weak self] in self?.waiting.isEmpty == false }
    }

    private func nextMoment() -> StoreMoment {
        let now = MonotonicTime.now
        defer { lastMoment = now }
        return StoreMoment(date: .now, ran: lastMoment.map { now.duration(since: $0) } ?? .zero)
    }

    /// Reads what is kept in memory.
    func load() {
        let isTroubled = !storage.trouble.isEmpty
        let moment = nextMoment()
        storage.write { database in
            if isTroubled { try Storage.probe(database) }
            return try Summary(pruning: database, at: moment)
        } then: { [weak self] result in
            guard let self, case .success(let summary) = result else { return }
            replace(summary)
            flush()
        }
    }

    /// Deletes the next portion of what is not to be kept, when others have had their turn.
    private func pruneMore() {
        guard !isPruning else { return }
        isPruning = true
        let moment = nextMoment()
        storage.write({ try Summary(pruning: $0, at: moment) }) { [weak self] result in
            guard let self else { return }
            isPruning = false
            guard case .success(let summary) = result else { return }
            changed([])
            replace(summary)
        }
    }

    /// Takes over what another session has written. It writes nothing, or the two would go on for ever.
    func readAgain() {
        storage.read {
            try Summary($0)
        } then: { [weak self] result in
            guard let self, case .success(let summary) = result else { return }
            changed([])
            replace(summary)
        }
    }

    // MARK: taking in

    /// Keeps a record; passes the row's id to `then` when it is on the disk.
    func record(_ record: CallRecord, then: @escaping @LoopActor (Int64) -> Void) {
        if record.isOpen { openCalls.insert(record.call) } else { openCalls.remove(record.call) }
        waiting.append(Waiting(record: record, normalized: record.handle.map(plan.normalized) ?? "", then: then))
        flush()
    }

    /// Writes all waiting records in one transaction. If one is under way, the next follows it.
    func flush() {
        guard !isWriting, !waiting.isEmpty else { return }
        isWriting = true
        let (batch, asked) = (waiting, questions)
        let moment = nextMoment()
        waiting = []
        questions = []
        storage.write { database in
            let ids = try batch.map { try RecentTable.record($0.record, normalized: $0.normalized, database) }
            return (ids, try Summary(pruning: database, at: moment))
        } then: { [weak self] result in
            guard let self else { return }
            isWriting = false
            for question in asked { question() }
            switch result {
            case .success(let (ids, summary)):
                for (item, id) in zip(batch, ids) { item.then(id) }
                var seen: Set<Int64> = []
                changed(ids.filter { seen.insert($0).inserted })
                replace(summary)
                flush()
                if !isWriting { finished() }
            case .failure:
                // Until the storage is worth another try, or the next store has it.
                waiting = batch + waiting
                finished()
            }
            if !isWriting { answerQuestions() }
        }
    }

    /// Tries once more to write the waiting records, and calls `then`.
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

    /// Asks once the records that came before are in the file, or cannot be written.
    private func ask(_ question: @escaping @LoopActor () -> Void) {
        questions.append(question)
        storage.closeInterrupted(except: openCalls) { [weak self] in self?.readAgain() }
        flush()
        if !isWriting { answerQuestions() }
    }

    private func answerQuestions() {
        let asked = questions
        questions = []
        for question in asked { question() }
    }

    /// Answers with rows as List returns them. The answer is made off the loop, which has callers to look up, and sent before
    /// any later change is told.
    func answer(
        _ invocation: Invocation<[VariantDictionary]>, with rows: @escaping @Sendable (Database) throws -> [RecentRow]
    ) throws(DBusError) {
        let answer = try invocation.emptyAnswer()
        ask { [storage] in
            storage.read {
                try answer.append(rows($0).map(\.wire))
            } then: { result in
                switch result {
                case .success: invocation.send(answer)
                case .failure(let error): invocation.fail(error)
                }
            }
        }
    }

    /// Passes the id of the provider of the last call with a handle; "" if there was no call.
    func lastProvider(of normalized: String, then: @escaping Completion<String>) {
        ask { [storage] in storage.read({ try RecentTable.lastProvider(of: normalized, $0) ?? "" }, then: then) }
    }

    func row(_ id: Int64, then: @escaping Completion<RecentRow>) {
        ask { [storage] in
            storage.read {
                try RecentTable.row(id, $0)
            } then: { result in
                then(
                    result.flatMap { row in
                        row.map { .success($0) } ?? .failure(CallError(.invalidArguments, "no recent \(id)"))
                    })
            }
        }
    }

    /// Changes rows in the file, and then deletes what is not to be kept.
    ///
    /// - Parameter ids: the rows that change; an empty list stands for any rows.
    func change<Value: Sendable>(
        _ ids: [Int64], then: @escaping Completion<Value>, _ body: @escaping @Sendable (Database) throws -> Value
    ) {
        ask { [weak self, storage] in
            guard let moment = self?.nextMoment() else { return }
            storage.write { database in
                (try body(database), try Summary(pruning: database, at: moment))
            } then: { result in
                self?.took(ids, result, then)
            }
        }
    }

    /// Marks all rows as read. Passes how many were not.
    func markAllRead(then: @escaping Completion<UInt32>) {
        ask { [weak self, portion] in
            self?.changePortions({ try RecentTable.markAllRead(portion: portion, $0) }, changed: 0) { result in
                guard let self, case .success(let count) = result else { return then(result) }
                self.change([], then: then) { _ in count }
            }
        }
    }

    /// Deletes all rows that there are now but those of open calls, and the copies of damaged files.
    func clear(then: @escaping Completion<Void>) {
        ask { [weak self, storage, portion] in
            storage.read({ try RecentTable.last($0) }) { result in
                guard let self, case .success(let last) = result else { return then(result.map { _ in }) }
                self.changePortions({ try RecentTable.clear(upTo: last, portion: portion, $0) }, changed: 0) { result in
                    guard case .success = result else { return then(result.map { _ in }) }
                    let moment = self.nextMoment()
                    storage.clear { database in
                        (try PartyTable.forgetTexts(database), try Summary(pruning: database, at: moment))
                    } then: {
                        self.took([], $0, then)
                    }
                }
            }
        }
    }

    /// Changes one portion of rows after the other, until one is not whole. What others ask for is done in between. Passes
    /// how many rows were changed.
    private func changePortions(
        _ body: @escaping @Sendable (Database) throws -> UInt32, changed: UInt32, then: @escaping Completion<UInt32>
    ) {
        storage.write(isPortion: true, body) { [weak self, portion] result in
            switch result {
            case .success(let count) where count == portion:
                self?.changePortions(body, changed: changed + count, then: then)
            case .success(let count): then(.success(changed + count))
            case .failure:
                // A part is changed.
                if changed > 0 { self?.readAgain() }
                then(result)
            }
        }
    }

    private func took<Value: Sendable>(
        _ ids: [Int64], _ result: Result<(Value, Summary), CallError>, _ then: Completion<Value>
    ) {
        if case .success(let (_, summary)) = result {
            changed(ids)
            replace(summary)
        }
        then(result.map { $0.0 })
    }

    private func changed(_ ids: [Int64]) { onChange(ids.count > 16 ? [] : ids) }

    private func replace(_ new: Summary) {
        if new.hasExcess { pruneMore() }
        guard new != summary else { return }
        summary = new
        onSummary()
    }
}
