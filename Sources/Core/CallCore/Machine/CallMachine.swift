// The pure state machine: facts in, effects out. No I/O, no clock, no randomness.
//
// It is made of values with one task each: `calls` (CallTable: every call, and as it was last announced),
// `admission` (Admission: which incoming calls may ring), `work` (Work: transactions and the actions that providers have
// not answered), `audio` (AudioGrant: who may play and record). Each takes facts and returns decisions. What concerns
// several of them is decided in extensions of the machine, by folder: `Admission` makes calls ring, `Line` carries
// transactions on and asks `Arbiter` who gives up the line, `Machine` takes reports, requests and providers.

public import CallModel

/// Knows every provider, call, transaction and action under way, and decides what follows from each input.
///
/// A value: plans are made by trying them on a copy.
public struct CallMachine: Sendable {
    var standing: Standing
    public internal(set) var audio = AudioGrant()
    /// The call that is heard, or would be heard if it were not on hold.
    public internal(set) var activeCall: CallID?
    /// The call that rings aloud.
    public internal(set) var ringingCall: CallID?
    /// The held call that was suggested to be resumed, while it can be.
    public internal(set) var suggestedResume: CallID?

    var admission: Admission
    var holdStorms = HoldStorms()
    /// The providers that the user marked as ones that reach the emergency services.
    public internal(set) var emergencyProviders: Set<ProviderID> = []
    /// The places of the providers of plugins, also of those that registered in earlier runs of the daemon.
    var providerPlaces: [ProviderID: UInt64] = [:]
    /// The actions of the line whose deadline has passed with the latest input, although their providers had time.
    package internal(set) var unanswered: [PerformedAction] = []
    /// Counts the registrations of new providers.
    var latestProvider: UInt64 = 0
    /// Whether a call to resume is to be suggested, once nothing else is under way (rule 11).
    var owesSuggestion = false
    var hasStopped = false
    /// Whether this is a copy on which something is tried.
    var isTrial = false
    var effects: Outbox

    public init(deadlines: Deadlines = Deadlines(), limits: Limits = Limits(), policy: Policy = .desktop) {
        standing = Standing(deadlines, limits, policy)
        admission = Admission(rememberedCallers: limits.rememberedCallers)
        effects = Outbox(deadlines)
    }

    /// Takes one fact and returns its effects. Never traps, whatever the input.
    public mutating func apply(_ input: Input, at now: Instant) -> Effects {
        effects.begin(at: now)
        standing.now = now
        unanswered = []
        let formerProviders = providers
        take(input)
        hastenEmergencyStarts()
        hastenForUsers()
        repeat { while let transaction = work.takeNext() { advance(transaction) } } while forfeitAgain()
        let situation = calls.situation
        audio.update(for: calls, line: situation.line, during: work.current, &effects)
        suggestResume(in: situation)
        if calls.haveChanged || providers != formerProviders { publish(situation) }
        stopIfDone()
        tellWhatFollows()
        return effects.take()
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .providerRegistered(let id, let configuration, let isPackaged, let owner):
            register(id, configuration, isPackaged, owner ?? .plugin(id.rawValue))
        case .providersKnown(let order): know(order)
        case .defaultProvidersSet(let choice): defaultProviders = choice
        case .emergencyProvidersSet(let choice): mark(choice)
        case .providerReconfigured(let id, let configuration): reconfigure(id, configuration)
        case .providerLost(let id): lose(id)
        case .providerRemoved(let id): remove(id)
        case .reported(let report, let provider, let reply): take(report, by: provider, reply: reply)
        case .requested(let request, let reply): take(request, reply: reply)
        case .actionFulfilled(let id, let date, let engine): complete(id, .fulfilled(date: date, engine: engine))
        case .actionFailed(let id, let word, let reason): complete(id, .refused(word, reason: reason))
        case .audioReleased(let provider): audio.released(by: provider, &effects)
        case .timerFired(let timer): fire(timer)
        case .ringingSilenced: silenceRinging()
        case .doNotDisturbSet(let value): admission.doNotDisturb = value
        case .doNotDisturbRulesSet(let rules): admission.rules = rules
        case .lookUpExpected: admission.expectLookUp()
        case .lookUpAvailable(let value): lookUpBecomes(available: value)
        case .lookedUp(let call, let caller):
            name(call, caller)
            conclude(admission.lookedUp(call, caller, &effects))
        case .screenerRegistered(let id): admission.screenerComes(id)
        case .screenerLost(let id): screenerLost(id)
        case .screened(let call, let id, let verdict): screened(call, by: id, verdict)
        case .audioAgentRegistered(let id): audio.agentComes(id, &effects)
        case .audioAgentLost(let id): audio.agentGoes(id, &effects)
        case .audioPrepared(let id, let provider, let failed):
            audio.prepared(by: id, for: provider, failed: failed, &effects)
        case .shutdownRequested: shutDown()
        }
    }

    private mutating func fire(_ timer: TimerID) {
        switch timer {
        case .action(let action): if work[action] != nil { complete(action, .timedOut) }
        case .ring(let call): ringingTimedOut(call)
        case .connect(let call): connectingTimedOut(call)
        case .linger(let call): removeEnded(call)
        case .audioRelease(let provider): audio.releaseTimedOut(provider, &effects)
        case .audioPrepare(let provider): audio.preparationTimedOut(provider, &effects)
        case .lookUp(let call): conclude(admission.lookedUp(call, .unanswered, isDue: true, &effects))
        case .screen(let call): conclude(admission.screeningTimedOut(call, &effects))
        }
    }
}

extension CallMachine {
    public var deadlines: Deadlines { standing.deadlines }
    public var limits: Limits { standing.limits }
    public var policy: Policy { standing.policy }
    public internal(set) var calls: CallTable {
        _read { yield standing.calls }
        _modify { yield &standing.calls }
    }
    public internal(set) var providers: [ProviderID: Provider] {
        _read { yield standing.providers }
        _modify { yield &standing.providers }
    }
    public internal(set) var defaultProviders: [String: ProviderID] {
        _read { yield standing.defaultProviders }
        _modify { yield &standing.defaultProviders }
    }
    var work: Work {
        _read { yield standing.work }
        _modify { yield &standing.work }
    }
    var isShuttingDown: Bool {
        get { standing.isShuttingDown }
        set { standing.isShuttingDown = newValue }
    }
    /// When the latest input came.
    var now: Instant { standing.now }
}
