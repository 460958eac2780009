// The pure state machine: facts in, deeds out. No I/O, no clock, no randomness.

public import CallModel

/// Knows every provider, call, transaction and action under way, and decides what follows from each input.
///
/// A value: a copy is a world of its own, which is how plans are made (`rehearse`).
public struct CallMachine: Sendable {
    public let deadlines: Deadlines
    public let limits: Limits
    public let policy: Policy

    public internal(set) var calls = CallTable()
    public internal(set) var providers: [ProviderID: Provider] = [:]
    public internal(set) var audio = AudioGrant()
    public internal(set) var activeCall: CallID?
    public internal(set) var doNotDisturb = false
    public internal(set) var doNotDisturbRules = DoNotDisturbRules()
    /// The incoming calls of which nobody has been told yet, the oldest first.
    public internal(set) var waiting: [WaitingCall] = []

    var transactions = SlotMap<TransactionID, Transaction>()
    /// Transactions that are about the line; the first one runs, the others wait their turn.
    var queue: [TransactionID] = []
    /// Transactions that may go on now.
    var runnable: [TransactionID] = []
    /// Transactions that began just now, of which providers are to know what follows.
    var unforeseen: [TransactionID] = []
    var actions = SlotMap<ActionID, PendingAction>()
    var settled = SettledActions()
    var usedIDs = UsedIDs()
    /// Whether there is somebody who knows callers, and who screens calls.
    var canLookUp = false
    /// Whether somebody was announced who knows callers, and is not there.
    var isLookUpAway = false
    var screeners: [ScreenerID] = []
    var turnedAway = RecentCallers()
    var lastStartOrAnswer = TransactionID(0)
    var counters = Counters()
    var owesSuggestion = false
    var isShuttingDown = false
    var hasStopped = false
    var isRehearsal = false

    var now = Instant(uptime: 0, date: 0)
    var effects = Effects()
    /// What is told after the changes of state that it is about.
    var announcements: [Effect] = []
    /// The audio grant as it was last published, and the ways to answer a ringing call that the line leaves open.
    var publishedAudio = AudioGrant()
    var lineOptions = LineOptions()

    struct Counters: Sendable {
        var transaction: UInt64 = 0
        var action: UInt64 = 0
        var group: UInt64 = 0
        var order: UInt64 = 0
    }

    public init(deadlines: Deadlines = Deadlines(), limits: Limits = Limits(), policy: Policy = .desktop) {
        self.deadlines = deadlines
        self.limits = limits
        self.policy = policy
    }

    /// Takes in one fact and returns what is to be done. Never traps, whatever the input.
    public mutating func apply(_ input: Input, at now: Instant) -> Effects {
        self.now = now
        take(input)
        settle()
        updateAudio()
        suggestResume()
        publish()
        stopIfDone()
        if !unforeseen.isEmpty { tellWhatFollows() }
        return takeEffects()
    }

    private mutating func takeEffects() -> Effects {
        for announcement in announcements { effects.append(announcement) }
        defer {
            announcements = []
            effects = Effects()
        }
        return effects
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .providerRegistered(let id, let configuration): register(id, configuration)
        case .providerReconfigured(let id, let configuration): reconfigure(id, configuration)
        case .providerLost(let id): lose(id)
        case .providerRemoved(let id): remove(id)
        case .reported(let report, let provider, let reply): take(report, by: provider, reply: reply)
        case .requested(let request, let reply): take(request, reply: reply)
        case .actionFulfilled(let id, let date, let engine): complete(id, .fulfilled(date: date, engine: engine))
        case .actionFailed(let id, let reason): complete(id, .refused(reason: reason))
        case .audioReleased(let provider): audioReleased(by: provider)
        case .timerFired(let timer): fire(timer)
        case .ringingSilenced: silenceRinging()
        case .doNotDisturbSet(let value): doNotDisturb = value
        case .doNotDisturbRulesSet(let rules): doNotDisturbRules = rules
        case .lookUpAvailable(let value): lookUpAvailable(value)
        case .lookedUp(let call, let caller): lookedUp(call, caller)
        case .screenerRegistered(let id): screenerRegistered(id)
        case .screenerLost(let id): screenerLost(id)
        case .screened(let call, let id, let verdict): screened(call, by: id, verdict)
        case .shutdownRequested: shutDown()
        }
    }

    /// Lets every transaction go as far as it can.
    private mutating func settle() {
        while true {
            if !runnable.isEmpty {
                advance(runnable.removeFirst())
            } else if let head = queue.first, transactions[head]?.waitingFor == nil {
                advance(head)
            } else {
                return
            }
        }
    }

    private mutating func fire(_ timer: TimerID) {
        switch timer {
        case .action(let action): if actions[action] != nil { complete(action, .timedOut) }
        case .ring(let call): ringingTimedOut(call)
        case .connect(let call): connectingTimedOut(call)
        case .linger(let call): removeEnded(call)
        case .audioRelease(let provider): audioReleaseTimedOut(provider)
        case .lookUp(let call): lookedUp(call, .unanswered, isDue: true)
        case .screen(let call): screeningTimedOut(call)
        }
    }

    mutating func takeOrder() -> UInt64 {
        counters.order += 1
        return counters.order
    }

    /// Whether nothing is under way: no transaction, no call that waits to ring, and no provider's answer is awaited.
    public var isIdle: Bool { transactions.isEmpty && actions.isEmpty && waiting.isEmpty }

    /// Whether there was ever a call of this identifier.
    public func knew(_ id: CallID) -> Bool { usedIDs.contains(id) }
}
