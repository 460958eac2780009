// One request under way, and the actions that it waits for.

import CallModel

/// What began a transaction.
enum TransactionOrigin: Sendable, Hashable {
    case request(Requester)
    /// Rule 10: the most recently displaced call comes back.
    case autoResume
    /// Rule 13: the provider wants its held call back.
    case providerResume(ProviderID)
    /// Rule 24: a call was reported that is connected already.
    case adoption
    /// A call has connected whose start brought digits to send then.
    case postDial
    /// Everything ends because the daemon shuts down.
    case shutdown

    /// Who causes the actions of the transaction itself.
    var agent: Cause.Agent {
        switch self {
        case .request(let requester): .requester(requester)
        case .providerResume(let id): .requester(.provider(id))
        case .autoResume, .adoption: .arbiter(for: nil)
        case .postDial, .shutdown: .system
        }
    }

    /// Whether a client asks for it that is no provider.
    var isUsers: Bool { if case .request(.client) = self { true } else { false } }

    /// Whether a provider asks for it.
    var isProviders: Bool {
        switch self {
        case .request(.provider), .providerResume: true
        case .request(.client), .autoResume, .adoption, .postDial, .shutdown: false
        }
    }

    var requester: Requester? {
        switch self {
        case .request(let requester): requester
        case .providerResume(let id): .provider(id)
        case .autoResume, .adoption, .postDial, .shutdown: nil
        }
    }
}

/// A method call that waits for a transaction's outcome, and the number that its caller is told.
struct Waiter: Sendable {
    let reply: ReplyID
    let transaction: TransactionID
}

/// A call that a transaction moved on or off hold, and how it was before: what a failure has to restore.
struct Moved: Sendable {
    let call: CallID
    /// Who held it before, and for which call; nil if it had the line.
    let heldBy: HeldBy?
    let heldFor: CallID?
}

struct Transaction: Sendable {
    /// What an awaited action is to the transaction.
    enum Role: Sendable {
        /// It is the requested action, or a part of it.
        case goal
        /// It clears the line, or is another transaction's action that must settle first.
        case clearing
        /// It restores what the transaction displaced.
        case compensation
    }

    let id: TransactionID
    let origin: TransactionOrigin
    let actions: [CallAction]
    /// Whose share it counts towards; nil = nobody's.
    var owner: Owner?
    /// Whether it waits its turn; ends, mutes, tones and translations never do.
    var isAboutLine: Bool
    var conflict = ConflictPolicy.hold
    /// Milliseconds that shorten the published deadlines.
    var timeout: UInt32?
    /// The method calls to answer at the end.
    var waiters: [Waiter] = []
    /// The action that is being worked on.
    var index = 0
    /// Whether something was performed or awaited for that action.
    var hasBegunAction = false
    var waitingFor: (action: ActionID, role: Role)?
    /// The calls that were moved for the current action, in that order.
    var moved: [Moved] = []
    /// For an emergency: when it stops waiting for what is in its way, from when it first had to wait.
    var urgentUntil: Instant?
    /// For a user's request: when it stops waiting for those that get little time.
    var patientUntil: Instant?
    /// For an emergency: the providers that did not take it.
    var passedOver: Set<ProviderID> = []
    /// The providers that let one of its actions time out.
    var silent: Set<ProviderID> = []
    /// A held call that the current hold exchanges for the active one (rule 13, hold model `swap`).
    var partner: CallID?
    /// Set once it has failed: what remains is to restore the moved calls.
    var failure: CallError?
    /// Whether it ever took the line away from a call.
    var hasDisplaced = false
    /// Whether it was worked out what providers are to do for it later; and that, where one has to do several things.
    var followingIsKnown = false
    var following: [FollowingAction] = []

    init(id: TransactionID, origin: TransactionOrigin, actions: [CallAction]) {
        self.id = id
        self.origin = origin
        self.actions = actions
        isAboutLine = actions.contains(where: \.isAboutLine)
    }

    var isWaiting: Bool { waitingFor != nil }
    /// Whether anything was done for it.
    var hasBegun: Bool { isWaiting || hasBegunAction || index > 0 || failure != nil }
    /// The calls that its actions name.
    var calls: Set<CallID> { Set(actions.flatMap(\.calls)) }
    var current: CallAction? { index < actions.count ? actions[index] : nil }

    /// Whether it is being worked on to start this call.
    func starts(_ call: CallID) -> Bool {
        guard case .start(call, _)? = current else { return false }
        return true
    }
}

extension CallAction {
    fileprivate var calls: [CallID] {
        switch self {
        case .setGroup(let call, let other?), .transfer(let call, .call(let other)): [call, other]
        default: [call]
        }
    }

    var isAboutLine: Bool {
        switch kind {
        case .start, .answer, .setHeld, .setGroup: true
        case .end, .setMuted, .playDTMF, .setTranslating, .transfer, .transferTo, .answerTransfer: false
        }
    }
}
