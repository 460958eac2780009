// OpenActions: the actions of a provider that are not settled.

internal import CallModel
internal import DBus
internal import EventLoop
internal import Synchronization

/// A provider's actions by their UUIDs: those to perform, those that wait for their turn in a transaction, and those that
/// have timed out recently.
@LoopActor
final class OpenActions {
    /// Whether the delegate performs a transaction itself. Set and read on the delegate's queue.
    final class Verdict: Sendable {
        private let value = Mutex(false)

        var isTaken: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    /// The place of an action that was announced with the first one of its transaction.
    struct Turn {
        let transaction: String
        let number: UInt32
        let verdict: Verdict
    }

    struct Entry {
        let action: CXAction
        /// The host's name for the action; nil before its turn.
        var id: String?
        /// Takes the answer; nil before the action's turn.
        var invocation: Invocation<VariantDictionary>?
        var turn: Turn?
        /// An answer of the provider before the action's turn.
        var early: CXAction.Outcome?
        /// Counts the actions that have timed out; nil while the action has not.
        var lateness: UInt64?
    }

    /// The maximum number of timed-out actions that are kept, so that late answers reach the host.
    private static let maximumLate = 64
    /// The maximum number of transactions that are remembered: a later action of one of them, such as one that restores a call
    /// after a failure, is a transaction of its own.
    private static let maximumNames = 16

    private var entries: [UUID: Entry] = [:]
    private var timeOuts: UInt64 = 0
    private var names: [UUID] = []

    nonisolated init() {}

    // MARK: requests of the host

    func add(_ action: CXAction, id: String? = nil, _ invocation: Invocation<VariantDictionary>) {
        entries[action.uuid] = Entry(action: action, id: id, invocation: invocation)
    }

    func announce(_ action: CXAction, _ turn: Turn) {
        entries[action.uuid] = Entry(action: action, turn: turn)
    }

    /// Begins an announced action whose turn has come; returns nil if it was not announced. Earlier actions of its
    /// transaction that were skipped are abandoned.
    func begin(
        _ number: UInt32, of transaction: String, id: String, _ invocation: Invocation<VariantDictionary>
    ) -> Entry? {
        let waiting = waiting(of: transaction)
        guard var entry = waiting.first(where: { $0.turn?.number == number }) else { return nil }
        for skipped in waiting.prefix(while: { $0.turn?.number != number }) {
            entries[skipped.action.uuid] = nil
            skipped.action.abandon()
        }
        (entry.id, entry.invocation) = (id, invocation)
        entries[entry.action.uuid] = entry
        return entry
    }

    /// Removes the actions of a transaction that wait for their turn, and returns them in order.
    func removeRest(of transaction: String) -> [Entry] {
        let rest = waiting(of: transaction)
        for entry in rest { entries[entry.action.uuid] = nil }
        return rest
    }

    private func waiting(of transaction: String) -> [Entry] {
        entries.values.filter { $0.turn?.transaction == transaction && $0.invocation == nil }
            .sorted { ($0.turn?.number ?? 0) < ($1.turn?.number ?? 0) }
    }

    /// Returns the UUID that the host gave a transaction, or a new one if the delegate was asked about it before.
    func name(_ transaction: String) -> UUID {
        guard let name = CallID(transaction).map(UUID.init), !names.contains(name) else { return UUID() }
        names.append(name)
        if names.count > Self.maximumNames { names.removeFirst() }
        return name
    }

    // MARK: answers

    /// Sends the provider's answer: fulfillment as the reply, failure as the error. An answer before the action's turn is
    /// kept until then.
    func answer(_ action: UUID, _ outcome: CXAction.Outcome) {
        guard let entry = entries[action] else { return }
        guard let invocation = entry.invocation else {
            entries[action]?.early = outcome
            return
        }
        entries[action] = nil
        switch outcome {
        case .fulfilled(let result): invocation.reply(result)
        case .failed(let error): invocation.fail(error)
        case .refused(let word, let reason): invocation.fail(DBusError(word.busName, reason))
        }
    }

    /// Returns the action with the host's name, which has failed now; nil if it is not open.
    func timeOut(_ id: String) -> CXAction? {
        guard let action = entries.values.first(where: { $0.id == id && $0.lateness == nil })?.action else {
            return nil
        }
        action.timeOut()
        timeOuts += 1
        entries[action.uuid]?.lateness = timeOuts
        let late = entries.values.filter { $0.lateness != nil }
        if late.count > Self.maximumLate, let oldest = late.min(by: { $0.lateness ?? 0 < $1.lateness ?? 0 }) {
            entries[oldest.action.uuid] = nil
            Self.silence(oldest)
        }
        return action
    }

    /// Forgets everything. Nothing is answered.
    func abandonAll() {
        for entry in entries.values {
            if entry.lateness == nil { entry.action.abandon() }
            Self.silence(entry)
        }
        entries = [:]
    }

    private static func silence(_ entry: Entry) {
        entry.invocation?.context.message.expectsReply = false
    }
}
