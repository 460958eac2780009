// One request on its way, and the actions it waits for.

import CallModel

/// Who set a transaction going.
enum TransactionOrigin: Sendable, Hashable {
    case request(Requester)
    /// Rule 10: the most recently displaced call comes back.
    case autoResume
    /// Rule 13: the provider wants its held call back.
    case providerResume(ProviderID)
    /// Everything ends because the daemon does.
    case shutdown
}

/// Who waits for a transaction's outcome, and the number by which it was told to that caller.
struct Waiter: Sendable {
    let reply: ReplyID
    let transaction: TransactionID
}

/// A call that a transaction moved on or off hold, and how it was before: what a failure has to restore.
struct Moved: Sendable {
    let call: CallID
    /// Who held it before; nil if it had the line.
    let heldBy: HeldBy?
}

struct Transaction: Sendable {
    /// What an awaited action is to the transaction.
    enum Role: Sendable {
        /// It is the requested action, or a part of it.
        case goal
        /// It clears the line, or somebody else's action that must settle first.
        case clearing
        /// It restores what the transaction displaced.
        case compensation
    }

    /// What was asked for, shared by all copies: it never changes, and transactions are copied at every step.
    private final class Order: Sendable {
        let origin: TransactionOrigin
        let actions: [CallAction]
        let conflict: ConflictPolicy
        let timeout: UInt32?

        init(_ origin: TransactionOrigin, _ actions: [CallAction], _ conflict: ConflictPolicy, _ timeout: UInt32?) {
            self.origin = origin
            self.actions = actions
            self.conflict = conflict
            self.timeout = timeout
        }
    }

    let id: TransactionID
    /// Whether it is about the line and therefore waits its turn; ends, mutes, tones and translations never do.
    let isAboutLine: Bool
    private let order: Order
    /// The method calls to answer at the end.
    var waiter: Waiter?
    var moreWaiters: [Waiter] = []
    /// The action that is being worked on.
    var index = 0
    var waitingFor: (action: ActionID, role: Role)?
    /// The calls that were moved for the current action, in that order.
    var moved: [Moved] = []
    /// Of an emergency, from when it first had to wait: when its patience with what is in its way is over.
    var urgentUntil: Instant?
    /// Set once it has failed: what remains is to restore the moved calls.
    var failure: CallError?
    /// Whether it ever took the line away from a call.
    var hasDisplaced = false
    /// Whether it has been worked out what providers will have to do for it, and that, if one has to do several things.
    var isForeseen = false
    var foreseen: [Foreseen] = []

    var isWaiting: Bool { waitingFor != nil }

    init(
        id: TransactionID, origin: TransactionOrigin, actions: [CallAction], conflict: ConflictPolicy = .hold,
        timeout: UInt32? = nil
    ) {
        self.id = id
        isAboutLine = actions.contains(where: \.isAboutLine)
        order = Order(origin, actions, conflict, timeout)
    }

    var origin: TransactionOrigin { order.origin }
    var actions: [CallAction] { order.actions }
    var conflict: ConflictPolicy { order.conflict }
    var timeout: UInt32? { order.timeout }
    var current: CallAction? { index < order.actions.count ? order.actions[index] : nil }
}

extension CallAction {
    var isAboutLine: Bool {
        switch kind {
        case .start, .answer, .setHeld, .setGroup: true
        case .end, .setMuted, .playDTMF, .setTranslating: false
        }
    }
}
