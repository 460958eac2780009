// What the shell and the tests may read besides the calls.

public import CallModel

extension CallMachine {
    public var deadlines: Deadlines { standing.deadlines }
    public var limits: Limits { standing.limits }
    public var policy: Policy { standing.policy }
    public var calls: CallTable { standing.calls }
    public var providers: [ProviderID: Provider] { standing.providers.all }
    /// The user's choice of providers, by URI scheme or by handle type.
    public var defaultProviders: [String: ProviderID] { standing.providers.defaults }
    /// The providers that the user marked as ones that reach the emergency services.
    public var emergencyProviders: Set<ProviderID> { standing.providers.marked }
    /// The providers of plugins that registered in this run of the daemon or an earlier one, in the order in which they did
    /// for the first time.
    public var knownProviders: [ProviderID] { standing.providers.known }

    /// The call that is heard, or would be heard if it were not on hold.
    public var activeCall: CallID? { shown.activeCall }
    /// The call that rings aloud.
    public var ringingCall: CallID? { shown.ringingCall }
    /// The held call that was suggested to be resumed, while it can be.
    public var suggestedResume: CallID? { shown.suggestedResume }
    /// The actions of the line whose deadline has passed with the latest input, although their providers had time.
    package var unanswered: [PerformedAction] { line.unanswered }

    /// Whether nothing is under way: no transaction, no call that waits to ring, no answer of a provider.
    public var isIdle: Bool {
        standing.work.transactions.isEmpty && standing.work.actions.isEmpty && admission.undecided.isEmpty
    }

    /// Whether there was a call of this identifier, as far as identifiers are remembered.
    public func knew(_ id: CallID) -> Bool { calls.knew(id) }

    public var doNotDisturb: Bool { admission.doNotDisturb }
    public var doNotDisturbRules: DoNotDisturbRules { admission.rules }
    /// The incoming calls that are not announced yet, the oldest first.
    public var waiting: [WaitingCall] { admission.waiting }

    /// The calls on which is not decided yet: those, and ringing ones of which another caller was told.
    package var undecided: [WaitingCall] { admission.undecided }

    /// Why a call is in its state, oldest first; empty for a call that is not there.
    public func causes(of id: CallID) -> [Cause] { calls.causes(of: id) }

    /// What brought a call into the state that it has.
    public func latestCause(of id: CallID) -> Cause? { calls.causes(of: id).last }

    /// The clients that any call's causes name.
    public var mentionedClients: Set<String> {
        Set(calls.allCauses.compactMap { if case .client(let name)? = $0.requester { name } else { nil } })
    }

    /// The action that a provider has not answered yet, and what it is for.
    package func awaited(_ id: ActionID) -> PendingAction? { standing.work[id] }

    /// What is being worked on about the line, while the next request about it waits its turn.
    package var workAtLine: CallAction? { standing.work.current }

    /// Whether a provider's resumes are ignored now (rule 13).
    package func ignoresResumes(of provider: ProviderID) -> Bool {
        line.holdStorms.isPaused(provider, at: standing.now)
    }

    /// The call that the arbiter would bring back now (rule 10).
    package var displaced: CallID? { calls.situation.lastDisplaced?.id }

    package var isLeaving: Bool { standing.isShuttingDown }

    /// When the latest input came.
    package var latest: Instant { standing.now }

    /// Whether callers can be looked up, or could be if the store were not away.
    package var looksUp: Bool { standing.canLookUp }
    package var expectsLookUp: Bool { admission.isLookUpExpected }
    package var isLookUpMissing: Bool { admission.isLookUpAway }
    package var activeScreeners: [ScreenerID] { admission.screeners }

    /// The screeners that have not given their verdict on a call; nil if it is not screened.
    package func awaitedVerdicts(on id: CallID) -> [ScreenerID]? {
        guard case .screening(let awaited)? = undecided.first(where: { $0.id == id })?.stage else { return nil }
        return awaited
    }

    /// Whether Do Not Disturb filtered the caller recently.
    package func wasTurnedAway(_ handle: Handle?, at now: Instant) -> Bool {
        handle.map {
            admission.turnedAway.contains($0, at: now, withinMilliseconds: deadlines[.repeatedCaller])
        } ?? false
    }

    // MARK: Decisions

    /// All providers in the order in which they are asked to take a start, those that cannot last. An emergency call goes
    /// only to a provider that reaches the emergency services.
    public func candidates(for request: StartRequest, _ conflict: ConflictPolicy = .hold) -> [StartCandidate] {
        standing.candidates(for: request, conflict)
    }

    /// Whether a URI may be called: a provider declares its scheme, unless the scheme is one that all know.
    public func isDeclared(_ request: StartRequest) -> Bool { standing.isDeclared(request) }

    /// A handle as it is called.
    ///
    /// - Throws: `InvalidArguments` for a service code.
    public func callable(_ handle: Handle) throws(CallError) -> Handle { try standing.callable(handle) }

    /// Whether a number is one of the emergency services' (rule 19).
    public func isEmergency(_ handle: Handle) -> Bool { standing.isEmergency(handle) }

    /// The provider that takes a start.
    package func provider(for request: StartRequest, _ conflict: ConflictPolicy) throws(CallError) -> Provider {
        try standing.provider(for: request, conflict)
    }

    /// Whose share a request counts towards.
    package func owner(of request: Request) -> Owner { standing.owner(of: request) }

    /// - Parameter waiting: the calls that wait to ring.
    /// - Throws: `LimitsExceeded` if there is no room for another call of this provider.
    package func checkRoom(for provider: Provider, besides waiting: [WaitingCall] = []) throws(CallError) {
        try standing.checkRoom(for: provider, besides: waiting)
    }

    /// The calls with the line that are about to give it up, and the emergency calls to which others are about to.
    package var callsBeingAdopted: Set<CallID> { standing.callsBeingAdopted }

    /// The providers that have not answered an action of the line, and none of its kind since.
    package var silentProviders: [ProviderID] { standing.silentProviders }

    /// The screeners that gave no verdict in time, and none since.
    package var silentScreeners: [ScreenerID] { admission.silentScreeners.sorted { $0.number < $1.number } }

    /// The requests that wait their turn for a provider.
    package func waiting(for provider: ProviderID) -> Int { standing.waiting(for: provider) }
}
