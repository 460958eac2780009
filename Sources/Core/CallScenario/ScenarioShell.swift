// A shell without I/O: a clock that moves only on request, timers, and the answers that are still awaited.

package import CallCore
package import CallModel

/// The machine with the smallest shell that it needs. Copies are independent of each other.
package struct ScenarioShell {
    package var machine: CallMachine
    package private(set) var now = Instant(uptime: 1_000_000_000, date: 1_700_000_000_000_000)
    private var timers: [TimerID: Due] = [:]
    private var armed: UInt64 = 0
    /// The actions that providers have neither answered nor let time out, in order.
    package private(set) var owed: [PerformedAction] = []
    /// The providers that have not yet released the audio.
    package private(set) var releasing: [ProviderID] = []
    /// The calls whose callers are being looked up, and the screenings that are awaited.
    package private(set) var lookUps: [CallID] = []
    package private(set) var screenings: [Screening] = []

    /// What the audio agent has not answered yet.
    package private(set) var preparations: [Preparation] = []

    package struct Preparation: Sendable, Equatable {
        package let agent: AudioAgentID
        package let provider: ProviderID
    }

    package struct Screening: Sendable, Equatable {
        package let call: CallID
        package let screener: ScreenerID
    }

    private struct Due: Comparable {
        let uptime: Uptime
        let order: UInt64
        static func < (left: Due, right: Due) -> Bool { (left.uptime, left.order) < (right.uptime, right.order) }
    }

    /// Returns whether an effect is dropped. Tests plant such faults to see whether they are found.
    package typealias Fault = @Sendable (Effect) -> Bool
    private let fault: Fault?

    package init(_ machine: CallMachine = CallMachine(), fault: Fault? = nil) {
        self.machine = machine
        self.fault = fault
    }

    package mutating func apply(_ input: Input) -> Effects {
        switch input {
        case .actionFulfilled(let id, _, _), .actionFailed(let id, _, _):
            owed.removeAll { $0.id == id }
            timers[.action(id)] = nil
        case .timerFired(let timer):
            timers[timer] = nil
            if case .action(let id) = timer { owed.removeAll { $0.id == id } }
        case .lookedUp(let id, _): lookUps.removeAll { $0 == id }
        case .screened(let id, let screener, _): screenings.removeAll { $0 == Screening(call: id, screener: screener) }
        case .screenerLost(let screener): screenings.removeAll { $0.screener == screener }
        case .audioPrepared(let agent, let provider, _):
            preparations.removeAll { $0 == Preparation(agent: agent, provider: provider) }
        case .audioAgentRegistered(let agent): preparations.removeAll { $0.agent != agent }
        case .audioAgentLost(let agent): preparations.removeAll { $0.agent == agent }
        case .audioReleased(let provider): releasing.removeAll { $0 == provider }
        case .providerLost(let provider):
            // Its end answers everything that it was asked.
            for action in owed where action.provider == provider { timers[.action(action.id)] = nil }
            owed.removeAll { $0.provider == provider }
            releasing.removeAll { $0 == provider }
        case .providerRestarted(let provider), .providerRemoved(let provider),
            .providerRegistered(let provider, _, _, _):
            owed.removeAll { $0.provider == provider }
            releasing.removeAll { $0 == provider }
        case .providerReconfigured, .reported, .requested, .providersKnown, .defaultProvidersSet,
            .emergencyProvidersSet,
            .ringingSilenced, .doNotDisturbSet, .doNotDisturbRulesSet, .lookUpExpected, .lookUpAvailable,
            .screenerRegistered, .shutdownRequested:
            break
        }
        var effects = machine.apply(input, at: now)
        if let fault { effects.removeAll(where: fault) }
        for effect in effects { carryOut(effect) }
        forgetQuestions()
        return effects
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .perform(let action):
            owed.append(action)
            arm(.action(action.id), at: action.deadline)
        case .deactivateAudio(let provider): releasing.append(provider)
        case .prepareAudio(let agent, let provider, _, _):
            preparations.append(Preparation(agent: agent, provider: provider))
        case .lookUp(let id, _): lookUps.append(id)
        case .screen(let call, let screener): screenings.append(Screening(call: call.id, screener: screener))
        case .arm(let timer, let moment): arm(timer, at: moment)
        case .disarm(let timer): timers[timer] = nil
        default: break
        }
    }

    /// Forgets the questions about calls that neither wait nor go on.
    private mutating func forgetQuestions() {
        if lookUps.isEmpty, screenings.isEmpty { return }
        let undecided = machine.undecided.map(\.id)
        lookUps.removeAll { id in
            if let call = machine.calls[id] { return call.hasEnded }
            return !undecided.contains(id) || timers[.lookUp(id)] == nil
        }
        screenings.removeAll { !undecided.contains($0.call) }
    }

    private mutating func arm(_ timer: TimerID, at moment: Instant) {
        armed += 1
        timers[timer] = Due(uptime: moment.uptime, order: armed)
    }

    /// Moves the clock to the next timer that is due by `end` and returns that timer, or moves the clock to `end`.
    package mutating func nextTimer(until end: Uptime) -> TimerID? {
        let next = timers.min { $0.value < $1.value }.flatMap { $0.value.uptime <= end ? $0 : nil }
        elapse(max(now.uptime, next?.value.uptime ?? end) - now.uptime)
        return next?.key
    }

    /// Moves the clock without firing timers; those that are due fire late.
    package mutating func elapse(_ microseconds: UInt64) {
        now.date += microseconds
        now.uptime += microseconds
    }

    /// The armed timers with when they are due, the next one first.
    package var alarms: [(timer: TimerID, uptime: Uptime)] {
        timers.sorted { $0.value < $1.value }.map { ($0.key, $0.value.uptime) }
    }
}
