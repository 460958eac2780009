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

    let id: TransactionID
    let origin: TransactionOrigin
    let actions: [CallAction]
    var conflict = ConflictPolicy.hold
    var timeout: UInt32?
    /// The method calls to answer at the end.
    var waiters: [Waiter] = []
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

    var current: CallAction? { index < actions.count ? actions[index] : nil }

    /// Whether it is about the line and therefore waits its turn; ends, mutes and tones never do.
    var isAboutLine: Bool { actions.contains(where: \.isAboutLine) }
}

extension CallAction {
    var isAboutLine: Bool {
        switch kind {
        case .start, .answer, .setHeld, .setGroup: true
        case .end, .setMuted, .playDTMF: false
        }
    }
}

/// A Perform that its provider has not answered yet.
package struct PendingAction: Sendable {
    package enum Purpose: Sendable, Hashable {
        case requested
        /// Asked of a call in the way of another.
        case clearing
        case compensation
        /// Tells a provider that its call has ended or stays held; nobody waits for the answer.
        case notice
    }

    package internal(set) var performed: PerformedAction
    package let purpose: Purpose
    /// Why it is performed; what it does to its call happens for this cause.
    let cause: Cause
    /// What an `end` will be recorded as.
    var endReason = EndReason.localEnded
    /// Of a resume, who held the call before; of a call that is put back on hold, for whom.
    var heldBy = HeldBy.user
    /// Of a set-group, the call that is to be joined and its group.
    var partners: [CallID] = []

    var call: CallID { performed.action.call }
}

/// How an action came out.
enum Outcome: Sendable, Hashable {
    /// `date` in µs since the epoch, 0 = now.
    case fulfilled(date: UInt64)
    case refused
    case timedOut
    case providerLost
    case callEnded
}

/// The last completions, so that a second or late answer can be told from nonsense.
struct SettledActions: Sendable {
    enum Ending: Sendable {
        case completed, timedOut
        /// It lost its meaning before its provider answered: one answer is still welcome.
        case overtaken
    }
    struct Entry: Sendable {
        let provider: ProviderID
        var ending: Ending
    }

    static let capacity = 256
    private var entries: [ActionID: Entry] = [:]
    private var order: [ActionID] = []
    private var oldest = 0

    subscript(id: ActionID) -> Entry? { entries[id] }

    /// The answer to an overtaken action came after all.
    mutating func noteAnswer(to id: ActionID) { entries[id]?.ending = .completed }

    mutating func note(_ action: PerformedAction, _ ending: Ending) {
        entries[action.id] = Entry(provider: action.provider, ending: ending)
        if order.count < Self.capacity {
            order.append(action.id)
        } else {
            entries[order[oldest]] = nil
            order[oldest] = action.id
            oldest = (oldest + 1) % Self.capacity
        }
    }
}
