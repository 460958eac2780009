// Why a call is in its state: small values, whose words are made when somebody asks for them.

public import CallModel

/// One link in the chain of causes: what brought a call into a state, and on whose account.
public struct Cause: Sendable, Hashable {
    /// What a provider is asked to do with a call.
    public enum Deed: String, Sendable, Hashable {
        case start, answer, end, hold, resume, group
    }

    public enum Event: Sendable, Hashable {
        case asked(Deed)
        case fulfilled(Deed)
        case refused(Deed)
        case unanswered(Deed)
        /// It is on hold again, as it was before; for whom it was held then.
        case restored(HeldBy)
        /// It was on hold already.
        case kept
        case heldByNetwork
        /// Another member left the group.
        case parted
        /// Its provider reported it: that it rings, or that it ended.
        case reported
        case connecting, connected
        /// Nobody took it, here or there.
        case notTaken
        /// It ended before its provider was told of it.
        case cancelled
        /// Indirect, so that the others stay small.
        indirect case notStarted(CallError)
        case providerDied, providerReplaced, providerLeft
    }

    /// On whose account it happened.
    public enum Agent: Sendable, Hashable {
        case requester(Requester)
        /// A rule of the table, at work for a request, or of its own accord.
        case arbiter(for: Requester?)
        /// A row of the policy, at work for a request.
        case policy(for: Requester?)
        /// A provider of its own accord.
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
    /// The row of the decision table; 0 = none.
    public internal(set) var rule: UInt32
    /// The call that needed the line, if that is why.
    public internal(set) var newcomer: CallID?
    /// The transaction that was at work, if any.
    public internal(set) var transaction: TransactionID?

    init(
        _ event: Event, by agent: Agent, rule: UInt32 = 0, newcomer: CallID? = nil, transaction: TransactionID? = nil
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
}

/// The last causes of one call, oldest first.
struct CauseChain: Sendable {
    private var ring: [Cause] = []
    private var oldest = 0

    mutating func append(_ cause: Cause, limit: Int) {
        if ring.count < limit {
            ring.append(cause)
        } else if !ring.isEmpty {
            ring[oldest] = cause
            oldest = (oldest + 1) % ring.count
        }
    }

    var all: [Cause] { Array(ring[oldest...] + ring[..<oldest]) }
    var last: Cause? { oldest == 0 ? ring.last : ring[oldest - 1] }
}
