// TransactionBook: what a provider was told of before its turn.

internal import CallModel
internal import DBus
internal import EventLoop
internal import Synchronization

/// The transactions of several actions that are under way, by the host's names for them, and those that were lately.
@LoopActor
final class TransactionBook {
    /// An action that waits for its turn.
    @LoopActor
    final class Turn {
        /// The host's name for the action, once it is to be performed.
        var id: WireID?
        /// What the provider said before that.
        var early: CXAction.Outcome?

        nonisolated init() {}
    }

    /// Whether the delegate deals with a transaction itself: found out, and asked for, on the delegate's queue.
    final class Verdict: Sendable {
        private let value = Mutex(false)

        var isTaken: Bool {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }

    struct Whole {
        let verdict: Verdict
        let following: [(action: CXCallAction, turn: Turn)]
        var next = 0

        var rest: [CXCallAction] { following[next...].map(\.action) }
    }

    /// How many transactions are remembered: what comes later for one of them, such as what restores a call after a
    /// failure, is a transaction of its own.
    private static let memory = 16

    private var wholes: [WireID: Whole] = [:]
    private var lately: [CallID] = []
    private var oldest = 0

    nonisolated init() {}

    /// - Returns: the name that the host gave the transaction, or a new one if the delegate was asked about it before.
    func name(_ transaction: WireID) -> UUID {
        guard let id = transaction.uuidInEitherCase, !lately.contains(id) else { return .fresh() }
        if lately.count < Self.memory {
            lately.append(id)
        } else {
            lately[oldest] = id
            oldest = (oldest + 1) % Self.memory
        }
        return UUID(id)
    }

    func add(_ whole: Whole, named name: WireID) { wholes[name] = whole }

    /// The turn of the `number`-th of the actions that were to follow has come; nil if there is no such transaction. What
    /// was to come before it, and did not, is not needed any more.
    func take(_ number: UInt32, of name: WireID) -> (action: CXCallAction, turn: Turn, verdict: Verdict)? {
        guard var whole = wholes[name] else { return nil }
        let index = Int(number) - 1
        guard (whole.next..<whole.following.count).contains(index) else { return nil }
        for (action, _) in whole.following[whole.next..<index] { action.abandon() }
        whole.next = index + 1
        wholes[name] = whole.next < whole.following.count ? whole : nil
        let (action, turn) = whole.following[index]
        return (action, turn, whole.verdict)
    }

    /// The rest of a transaction will not come.
    func end(_ name: WireID) -> Whole? { wholes.removeValue(forKey: name) }

    /// Forgets everything.
    func abandonAll() {
        for whole in wholes.values { for action in whole.rest { action.abandon() } }
        wholes = [:]
    }
}
