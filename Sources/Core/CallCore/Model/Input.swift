// Inputs: everything that the core can be told, in the past tense.

public import CallModel

/// One fact from outside. All facts enter through one queue, so their order is the order of events.
public enum Input: Sendable, Hashable {
    /// Without an owner it is of a plugin with its own name.
    case providerRegistered(ProviderID, ProviderConfiguration, isPackaged: Bool = true, owner: Owner? = nil)
    case providerReconfigured(ProviderID, ProviderConfiguration)
    /// The process behind the provider died; it may register again.
    case providerLost(ProviderID)
    /// The user has the process behind the provider ended and started again; it registers again.
    case providerRestarted(ProviderID)
    /// The provider invalidated itself or its plugin was removed.
    case providerRemoved(ProviderID)
    case reported(Report, by: ProviderID, reply: ReplyID)
    case requested(Request, reply: ReplyID)
    /// `date`: 0 = now. `engine` counts for a translation that begins.
    case actionFulfilled(ActionID, date: WallTime, engine: TranslationEngine = .default)
    /// `reason` in the provider's own words, safe to show; may be empty.
    case actionFailed(ActionID, RefusalWord? = nil, reason: String = "")
    case audioReleased(ProviderID)
    case timerFired(TimerID)
    /// The providers that registered in earlier runs of the daemon, in that order. They keep it.
    case providersKnown([ProviderID])
    /// The user's choice, by URI scheme or by handle type.
    case defaultProvidersSet([String: ProviderID])
    /// The user's choice of those that reach the emergency services, besides packaged ones.
    case emergencyProvidersSet(Set<ProviderID>)
    case ringingSilenced
    case doNotDisturbSet(Bool)
    case doNotDisturbRulesSet(DoNotDisturbRules)
    /// Callers cannot be looked up yet, but soon: incoming calls wait for that.
    case lookUpExpected
    /// Whether callers can be looked up; false at first.
    case lookUpAvailable(Bool)
    case lookedUp(CallID, CallerFacts)
    case screenerRegistered(ScreenerID)
    case screenerLost(ScreenerID)
    /// Nil for an invalid answer.
    case screened(CallID, by: ScreenerID, ScreeningVerdict?)
    /// A client became the audio agent, in place of another.
    case audioAgentRegistered(AudioAgentID)
    case audioAgentLost(AudioAgentID)
    /// The audio agent has prepared the audio for a provider, or has failed to.
    case audioPrepared(AudioAgentID, for: ProviderID, failed: Bool = false)
    case shutdownRequested
}

/// What a provider reports without a request. The date 0 is now.
public enum Report: Sendable, Hashable {
    case incoming(CallID, CallUpdate)
    case ongoing(CallID, OngoingCall, CallUpdate)
    case updated(CallID, CallUpdate)
    case ended(CallID, at: WallTime, EndReason, NetworkEnd = NetworkEnd())
    case startedConnecting(CallID, at: WallTime)
    case connected(CallID, at: WallTime)

    public var call: CallID {
        switch self {
        case .incoming(let call, _), .ongoing(let call, _, _), .updated(let call, _), .ended(let call, _, _, _),
            .startedConnecting(let call, _),
            .connected(let call, _):
            call
        }
    }
}

/// A call that is connected when it is reported (rule 24).
public struct OngoingCall: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable { case active, held }

    public var direction: CallDirection
    public var state: State
    /// When it was connected; 0 = now.
    public var since: WallTime

    public init(_ direction: CallDirection, _ state: State = .active, since: WallTime = 0) {
        self.direction = direction
        self.state = state
        self.since = since
    }
}

/// Who sends a request. A provider's request through its own controller counts like a client's, but is remembered.
public enum Requester: Sendable, Hashable {
    case client(String)
    case provider(ProviderID)
}

/// A request: CXTransaction with its options.
public struct Request: Sendable, Hashable {
    public var requester: Requester
    /// Whose share the request of a client counts towards; nil = that of its name.
    public var owner: Owner?
    public var actions: [CallAction]
    public var conflict = ConflictPolicy.hold
    public var replyMode = ReplyMode.performed
    /// Milliseconds; shortens the published deadlines, never extends them.
    public var timeout: UInt32?
    /// The state in which every call that is named must be when the request arrives; nil = any.
    public var requiredState: CallState?

    public init(_ actions: [CallAction], by requester: Requester) {
        self.actions = actions
        self.requester = requester
    }
}
