// Why a call is in its state, as values; `CauseText.swift` has their text form.

public import CallModel

/// An action of a provider that may change a call's state.
public enum StateAction: String, Sendable, Hashable {
    case start, answer, end, hold, resume, group, transfer
}

/// One link in the chain of causes: what brought a call into a state, and who did.
public struct Cause: Sendable, Hashable {
    public enum Event: Sendable, Hashable {
        case asked(StateAction)
        case fulfilled(StateAction)
        case refused(StateAction)
        case unanswered(StateAction)
        /// The call is on hold again, held by the same party as before.
        case restored(HeldBy)
        /// The call was on hold already.
        case kept
        case heldByNetwork, resumedByNetwork
        /// Another member left the group.
        case parted
        /// The provider reported that the call rings, or that it ended.
        case reported
        /// The provider reported a call that is connected already.
        case adopted
        case connecting, connected
        /// Neither the user nor the other party answered.
        case notTaken
        /// The call ended before its provider was told of it.
        case cancelled
        case notStarted(CallError)
        case providerDied, providerReplaced, providerRestarted, providerLeft
        /// Its provider told another caller while it rang, who may not ring.
        case filtered(FilterReason)
        /// The start of an emergency call goes on to another provider.
        case passedOn(ProviderID)
    }

    /// Who caused something.
    public enum Agent: Sendable, Hashable {
        case requester(Requester)
        /// A rule of the table, for a request or without one.
        case arbiter(for: Requester?)
        /// A row of the policy, for a request.
        case policy(for: Requester?)
        /// A provider, without a request.
        case provider(ProviderID)
        case remote
        case deadline(DeadlineKind)
        case system
    }

    public internal(set) var at = Instant(uptime: 0, date: 0)
    /// The state in which the call was then.
    public internal(set) var state = CallState.starting
    /// Of an end.
    public internal(set) var endReason: EndReason?
    public internal(set) var event: Event
    public internal(set) var by: Agent
    public internal(set) var rule: Rule?
    /// The call that needed the line, if that is why.
    public internal(set) var newcomer: CallID?
    /// The transaction that was at work, if any.
    public internal(set) var transaction: TransactionID?

    init(
        _ event: Event, by agent: Agent, rule: Rule? = nil, newcomer: CallID? = nil, transaction: TransactionID? = nil
    ) {
        self.event = event
        self.by = agent
        self.rule = rule
        self.newcomer = newcomer
        self.transaction = transaction
    }

    /// The same with another event, and another agent if one is given.
    func then(_ event: Event, by agent: Agent? = nil) -> Cause {
        Cause(event, by: agent ?? by, rule: rule, newcomer: newcomer, transaction: transaction)
    }

    /// The word for `by`: what `EndedBy` and the signals' `origin` say.
    public var origin: Origin {
        switch by {
        case .requester: .user
        case .arbiter: .arbiter
        case .policy: .policy
        case .provider: .provider
        case .remote: .remote
        case .deadline: .deadline
        case .system: .system
        }
    }

    /// What `HeldBy` says of a call of `provider` that is on hold for this cause.
    public func heldBy(of provider: ProviderID) -> HeldBy {
        if case .restored(let holder) = event { return holder }
        switch by {
        case .requester(.provider(let own)) where own == provider: return .provider
        case .requester: return .user
        case .provider, .remote: return .provider
        case .arbiter, .policy, .deadline, .system: return .arbiter
        }
    }

    /// The client that asked for it, if any.
    public var client: String? { if case .client(let name)? = requester { name } else { nil } }

    /// The provider that asked for it or brought it about, if any.
    public var provider: ProviderID? {
        switch (by, requester) {
        case (.provider(let id), _), (_, .provider(let id)?): id
        default: nil
        }
    }

    /// The requester whose request led to it, if any.
    public var requester: Requester? {
        switch by {
        case .requester(let requester): requester
        case .arbiter(let requester), .policy(let requester): requester
        case .provider, .remote, .deadline, .system: nil
        }
    }
}

extension CallAction {
    var stateAction: StateAction {
        switch self {
        case .start: .start
        case .answer: .answer
        case .end: .end
        case .setHeld(_, let onHold): onHold ? .hold : .resume
        case .transfer: .transfer
        // These change no state, except a group action, for its members.
        case .setGroup, .setMuted, .playDTMF, .setTranslating, .answerTransfer: .group
        }
    }
}
