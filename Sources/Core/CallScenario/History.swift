// Checks of what must hold over time.

package import CallCore
import CallModel

/// Follows every input and effect of one scenario.
package struct History {
    var violations: [String] = []
    /// What an observer knows from announcements.
    package private(set) var observer = ObserverView()
    package private(set) var open: Set<ReplyID> = []
    /// The number of Performs by each rule, and of each error.
    package private(set) var counts: [String: Int] = [:]
    private var answered: Set<ReplyID> = []
    /// The actions that providers have neither answered nor let time out.
    package private(set) var pending: [ActionID: PerformedAction] = [:]
    /// The sum of the times that providers were given for their actions, in µs.
    package private(set) var granted: UInt64 = 0
    /// The uptimes in µs until which calls wait to be looked up or screened.
    private(set) var waits: [TimerID: UInt64] = [:]
    private var timedOut: Set<ActionID> = []
    private var latestAction: UInt64 = 0
    var added: [CallID: ProviderID] = [:]
    var ended: Set<CallID> = []
    private var filtered: Set<CallID> = []
    private var ready: Set<ProviderID> = []
    private var audioHolder: ProviderID?
    private var audioReleasing: ProviderID?
    /// The audio agent, and the provider for which its answer is awaited.
    private var audioAgent: AudioAgentID?
    private var audioPreparing: ProviderID?
    private var isAudioAgentEngaged = false
    var isLeaving = false
    private var hasStopped = false
    var asked = Asked()
    var announced = Announced()
    /// The emergency calls whose start was not yet performed, with the uptime in µs since when.
    private(set) var emergencies: [CallID: UInt64] = [:]
    /// The emergency calls that are being started, with the providers that had them.
    var passedOver: [CallID: Set<ProviderID>] = [:]

    package init() {}

    /// Returns the violations of this step.
    package mutating func check(_ input: Input, _ effects: Effects, _ shell: ScenarioShell) -> [String] {
        defer { violations = [] }
        note(input)
        asked.note(input)
        for effect in effects {
            check(effect, after: input, shell)
            checkEmergency(effect, after: input, shell.machine)
            checkResume(effect, shell.machine)
            if let violation = observer.apply(effect) { violations.append(violation) }
        }
        violations += observer.differences(shell.machine)
        checkPending(after: input, shell)
        for call in shell.machine.calls.values {
            expect(call.state == .ended || !ended.contains(call.id), "call \(call.id) came back after its end")
            expect(added[call.id] == call.provider, "call \(call.id) is of another provider than it was")
            expect(
                max(call.startedAt, call.connectedAt, call.endedAt) <= shell.now.date, "call \(call.id) is of tomorrow")
        }
        return violations
    }

    mutating func expect(_ truth: Bool, _ what: @autoclosure () -> String) {
        if !truth { violations.append(what()) }
    }

    private mutating func note(_ input: Input) {
        if case .timerFired(let timer) = input { waits[timer] = nil }
        switch input {
        case .providerRegistered(let id, _, _, _):
            ready.insert(id)
            forget(id)
        case .providerLost(let id), .providerRemoved(let id):
            ready.remove(id)
            forget(id)
        case .reported(_, _, let reply), .requested(_, let reply):
            if !answered.contains(reply) { open.insert(reply) }
        case .actionFulfilled(let id, _, _), .actionFailed(let id, _, _): pending[id] = nil
        case .audioReleased(let id), .timerFired(.audioRelease(let id)):
            if audioReleasing == id { audioReleasing = nil }
        case .audioAgentRegistered(let id): audioAgent = id
        case .audioAgentLost(let id):
            guard audioAgent == id else { return }
            (audioAgent, audioPreparing, isAudioAgentEngaged) = (nil, nil, false)
        case .audioPrepared(let agent, let id, _):
            if audioAgent == agent, audioPreparing == id { audioPreparing = nil }
        case .timerFired(.audioPrepare(let id)): if audioPreparing == id { audioPreparing = nil }
        case .shutdownRequested: isLeaving = true
        case .providerReconfigured, .providersKnown, .defaultProvidersSet, .emergencyProvidersSet, .timerFired,
            .ringingSilenced, .doNotDisturbSet, .doNotDisturbRulesSet, .lookUpExpected, .lookUpAvailable, .lookedUp,
            .screenerRegistered, .screenerLost,
            .screened:
            break
        }
    }

    private mutating func forget(_ id: ProviderID) {
        if audioHolder == id { audioHolder = nil }
        if audioReleasing == id { audioReleasing = nil }
        for action in pending.values where action.provider == id { pending[action.id] = nil }
        announced.forget(id)
    }

    private mutating func check(_ effect: Effect, after input: Input, _ shell: ScenarioShell) {
        switch effect {
        case .perform(let action):
            let id = action.id.number
            counts["rule \(action.rule.number)", default: 0] += 1
            if case .start(let call, _) = action.action { emergencies[call] = nil }
            expect(id > latestAction, "action a\(id) is used twice")
            latestAction = id
            pending[action.id] = action
            violations += announced.check(action)
            granted += action.deadline.uptime - min(shell.now.uptime, action.deadline.uptime)
            expect(ready.contains(action.provider), "a\(id) goes to \(action.provider), which is not there")
            expect(
                !ended.contains(action.action.call) || action.action.kind == .end,
                "a\(id) is on a call that has ended")
            expect(action.deadline.uptime >= shell.now.uptime, "the deadline of a\(id) has passed")
            expect(
                shell.machine.calls[action.action.call]?.provider == action.provider || isOfFormerProvider(action),
                "a\(id) goes to a provider that is not the call's")
        case .timedOut(let id, let provider):
            expect(
                input == .timerFired(.action(id)) && pending[id] != nil,
                "a\(id.number) times out though it was completed or never performed")
            expect(ready.contains(provider), "a\(id.number) times out on \(provider), which is not there")
            expect(timedOut.insert(id).inserted, "a\(id.number) times out twice")
            checkForfeiting(pending[id], shell.machine)
            pending[id] = nil
        case .transactionEnded(let id, let provider, _):
            expect(ready.contains(provider), "t\(id.number) ends on \(provider), which is not there")
            expect(announced.end(id, on: provider), "t\(id.number) ends on \(provider), which waits for nothing of it")
        case .reply(let id, let reply):
            if case .failed(let error) = reply { counts[error.code.rawValue, default: 0] += 1 }
            expect(open.remove(id) != nil, "reply #\(id.number) to nobody, or twice")
            answered.insert(id)
            expect(!hasStopped || id.number > 0 && isRefusalAfterStop(effect), "reply #\(id.number) after the stop")
        case .callAdded(let call):
            let id = call.id
            expect(added[id] == nil, "call \(id) is added twice")
            expect(!filtered.contains(id), "call \(id) was filtered and is there")
            added[id] = call.provider
            if call.emergency, call.state == .starting, pending.values.allSatisfy({ $0.action.call != id }) {
                emergencies[id] = shell.now.uptime
            }
        case .callChanged(let call, let changes):
            if changes.contains(.provider) { notePassingOn(call, after: input) }
            expect(added[call.id] != nil, "call \(call.id) changes before it is added")
            expect(shell.machine.calls[call.id] == call, "call \(call.id) is announced with other values than it has")
        case .callRemoved(let id): expect(ended.contains(id), "call \(id) is removed before its end")
        case .callEnded(let id, _, _):
            expect(ended.insert(id).inserted, "call \(id) ends twice")
            emergencies[id] = nil
            expect(shell.machine.calls[id]?.state == .ended, "call \(id) is said to have ended, and has not")
        case .activateAudio(let id, let call):
            let (holder, former) = (audioHolder, audioReleasing)
            expect(holder == nil, "audio goes to \(id) while \(holder?.rawValue ?? "") has it")
            let isAwaited = former.map { !shell.machine.audio.slowToRelease.contains($0) } ?? false
            expect(!isAwaited, "audio goes to \(id) before \(former?.rawValue ?? "") released it")
            let mayWait = !shell.machine.audio.isAgentSilent && shell.machine.calls[call]?.emergency != true
            let isPrepared = audioPreparing != id || !mayWait
            expect(isPrepared, "audio goes to \(id) before the agent prepared it")
            expect(audioAgent == nil || isAudioAgentEngaged, "audio goes to \(id), and the agent does not know")
            expect(shell.machine.calls[call]?.provider == id, "audio goes to \(id) for a call of another")
            audioHolder = id
        case .deactivateAudio(let id):
            expect(audioHolder == id, "\(id) is to release audio that it does not have")
            audioHolder = nil
            audioReleasing = id
        case .prepareAudio(let agent, let id, let call, _):
            expect(agent == audioAgent, "\(agent) is to prepare audio, and is not the agent")
            let isAwaited = audioHolder == nil && shell.machine.calls[call]?.emergency != true
            audioPreparing = isAwaited ? id : nil
            isAudioAgentEngaged = true
        case .finishAudio(let agent):
            expect(audioHolder == nil || agent != audioAgent, "\(agent) is to finish while a provider has audio")
            expect(isAudioAgentEngaged, "\(agent) is to finish, and has not prepared")
            let isNeeded = agent == audioAgent && shell.machine.calls.values.contains(where: \.hasLine)
            expect(!isNeeded, "\(agent) is to finish while a call is to be heard soon")
            isAudioAgentEngaged = false
        case .stop:
            expect(!hasStopped, "it stops twice")
            hasStopped = true
        case .resumeSuggested(let id):
            expect(shell.machine.calls[id]?.state == .held, "a resume is suggested of a call that is not held")
        case .arm(let timer, let moment): wait(timer, until: moment, shell)
        case .disarm(let timer): waits[timer] = nil
        case .lookUp(let id, _):
            expect(!filtered.contains(id), "call \(id) is looked up after it was filtered")
            let isThere = shell.machine.calls[id] != nil || shell.machine.waiting.contains { $0.id == id }
            expect(isThere, "call \(id) is looked up and is not there")
        case .screen(let call, let screener):
            let id = call.id
            expect(
                added[id] == nil && !filtered.contains(id), "call \(id) is asked about after it rang or was filtered")
            let isAwaited = !shell.machine.silentScreeners.contains(screener)
            expect(
                !isAwaited || shell.machine.waiting.contains { $0.id == id },
                "call \(id) is asked about and does not wait"
            )
        case .callFiltered(let call):
            expect(added[call.call] == nil, "call \(call.call) is filtered after it rang")
            expect(filtered.insert(call.call).inserted, "call \(call.call) is filtered twice")
            expect(!shell.machine.waiting.contains { $0.id == call.call }, "call \(call.call) is filtered and waits")
        case .ringingCallChanged(let id):
            expect(id.map { shell.machine.calls[$0]?.state == .ringing } ?? true, "a call rings that does not")
        case .suggestedResumeChanged(let id):
            expect(id.map { shell.machine.calls[$0]?.state == .held } ?? true, "a call is suggested that is not held")
        case .activeCallChanged, .anomaly, .providerAdded, .providerChanged, .providerRemoved, .reset, .audioChanged:
            break
        }
    }

    /// Notes how long a call waits.
    private mutating func wait(_ timer: TimerID, until moment: Instant, _ shell: ScenarioShell) {
        switch timer {
        case .lookUp, .screen, .audioPrepare:
            expect(waits[timer] == nil, "\(timer) is armed twice")
            waits[timer] = moment.uptime
            granted += moment.uptime - min(shell.now.uptime, moment.uptime)
        case .action, .ring, .connect, .linger, .audioRelease: break
        }
    }

    /// Whether a report about a call, or about the one that its provider exchanges with it, settles an action.
    private func isOvertaken(_ action: PerformedAction, by input: Input, _ machine: CallMachine) -> Bool {
        guard case .reported(.updated(let call, _), let provider, _) = input else { return false }
        if call == action.action.call { return true }
        return action.provider == provider && machine.calls[call]?.swaps == true
    }

    /// Checks that an action ends once: by its answer, its deadline, or the end of its call or provider.
    private mutating func checkPending(after input: Input, _ shell: ScenarioShell) {
        if let id = input.completed { expect(shell.machine.awaited(id) == nil, "a\(id.number) goes on after its end") }
        for action in pending.values where shell.machine.awaited(action.id) == nil {
            let isOver =
                ended.contains(action.action.call) || isOvertaken(action, by: input, shell.machine)
                || isOfFormerProvider(action, of: action.action.call)
            expect(
                isOver || input == .timerFired(.action(action.id)), "a\(action.id.number) is over and nobody ended it")
            pending[action.id] = nil
        }
    }

    /// Returns whether the effect is a refusal: after the stop every request is refused.
    private func isRefusalAfterStop(_ effect: Effect) -> Bool {
        if case .reply(_, .failed) = effect { true } else { false }
    }
}

extension Input {
    /// The action that this input completes.
    fileprivate var completed: ActionID? {
        switch self {
        case .actionFulfilled(let id, _, _), .actionFailed(let id, _, _), .timerFired(.action(let id)): id
        default: nil
        }
    }
}
