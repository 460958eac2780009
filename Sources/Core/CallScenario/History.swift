// Checks of what must hold over time.

package import CallCore
import CallModel

/// Follows every input and effect of one scenario.
package struct History {
    private var violations: [String] = []
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
    private var waits: [TimerID: Uptime] = [:]
    private var timedOut: Set<ActionID> = []
    private var latestAction: UInt64 = 0
    private var added: [CallID: ProviderID] = [:]
    private var ended: Set<CallID> = []
    private var filtered: Set<CallID> = []
    private var ready: Set<ProviderID> = []
    private var audioHolder: ProviderID?
    private var audioReleasing: ProviderID?
    /// The audio agent, and the provider for which its answer is awaited.
    private var audioAgent: AudioAgentID?
    private var audioPreparing: ProviderID?
    private var isAudioAgentEngaged = false
    private var isLeaving = false
    private var hasStopped = false
    private var asked = Asked()
    private var announced = Announced()
    /// The emergency calls whose start was not yet performed, and since when.
    private var emergencies: [CallID: Uptime] = [:]
    /// The emergency calls that are being started, with the providers that had them.
    private var passedOver: [CallID: Set<ProviderID>] = [:]

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

    private mutating func expect(_ truth: Bool, _ what: @autoclosure () -> String) {
        if !truth { violations.append(what()) }
    }

    private mutating func note(_ input: Input) {
        if case .timerFired(let timer) = input { waits[timer] = nil }
        switch input {
        case .providerRegistered(let id, _, _, _):
            ready.insert(id)
            forget(id)
        case .providerLost(let id), .providerRestarted(let id), .providerRemoved(let id):
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
            let isThere = added[id] != nil && shell.machine.calls[id]?.state != .ringing
            expect(!isThere && !filtered.contains(id), "call \(id) is asked about after it rang or was filtered")
            let isAwaited = !shell.machine.silentScreeners.contains(screener)
            expect(
                !isAwaited || shell.machine.undecided.contains { $0.id == id },
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

extension History {
    /// Whether the call is resumed because another one of a provider that only exchanges calls was held.
    private func isExchanged(_ action: PerformedAction, _ machine: CallMachine) -> Bool {
        asked.heldFor[action.transaction, default: []].contains { held in
            held != action.action.call
                && machine.calls[held].map { $0.swaps && $0.provider == action.provider } ?? false
        }
    }

    /// Checks the reason of a Perform that resumes a call: a request, rule 10, or a request that is undone.
    private mutating func checkResume(_ effect: Effect, _ machine: CallMachine) {
        guard case .perform(let action) = effect, case .setHeld(let id, let onHold) = action.action else { return }
        guard !onHold else {
            asked.heldFor[action.transaction, default: []].insert(id)
            return
        }
        let group = machine.calls[id]?.group
        let together = group == nil ? [id] : machine.calls.values.filter { $0.group == group }.map(\.id)
        let isAsked = together.contains { asked.back.contains($0) }
        let isUndone = asked.heldFor[action.transaction]?.contains(id) == true
        let rule = action.rule.number
        switch action.rule {
        case .network where isExchanged(action, machine): break
        case nil, .network: expect(isAsked, "call \(id) is resumed (rule \(rule)) and nobody asked for it")
        case .comesBack:
            let isDisplaced = together.contains { machine.calls[$0]?.heldBy == .arbiter }
            expect(isDisplaced, "call \(id) comes back though the arbiter did not hold it")
            let inTheWay = machine.calls.values.contains { call in
                call.hasLine && !together.contains(call.id) || call.state == .ringing
            }
            expect(!inTheWay, "call \(id) comes back though another rings, starts or is active")
        case .wholeGroup:
            expect(
                isAsked || isUndone || observer.calls[id]?.group.isEmpty == false, "call \(id) is resumed for no reason"
            )
        default: expect(isUndone, "call \(id) is restored (rule \(rule)) and was not held for this request")
        }
    }
}

extension History {
    private mutating func checkEmergency(_ effect: Effect, after input: Input, _ machine: CallMachine) {
        switch effect {
        case .perform(let action):
            guard let call = machine.calls[action.action.call], call.emergency else { return }
            switch action.action {
            case .end:
                let isAsked = asked.ended.contains(call.id) || isLeaving || call.state == .ended
                expect(
                    isAsked || isOfFormerProvider(action) || isOvertaken(call, by: action.rule),
                    "emergency call \(call.id) is to end and nobody asked for it")
            case .setHeld(_, true):
                // What the network holds stays held; the arbiter holds none.
                expect(action.rule == .network, "emergency call \(call.id) is to be held (rule \(action.rule.number))")
            case .start, .answer, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer,
                .answerTransfer:
                break
            }
        case .callAdded(let call): checkEntitlement(of: call, machine)
        case .callChanged(let call, let changes):
            if !changes.isDisjoint(with: [.emergency, .provider]) { checkEntitlement(of: call, machine) }
            checkPassingOn(call, after: input, machine)
        case .callEnded(let id, let reason, let origin):
            guard machine.calls[id]?.emergency == true else { return }
            switch origin {
            case .user: expect(asked.ended.contains(id), "emergency call \(id) ends and nobody asked for it")
            case .remote, .provider, .deadline: break
            case .system: expect(isLeaving, "emergency call \(id) is ended by the system")
            case .arbiter, .policy:
                let rule = machine.latestCause(of: id)?.rule
                let gaveWay = machine.calls[id].map { isOvertaken($0, by: rule) } ?? false
                expect(isLeaving || gaveWay, "emergency call \(id) ends \(reason.rawValue) by the \(origin.rawValue)")
            }
        case .reply(let id, .failed(let error)): checkRefusal(error, of: id, after: input, machine)
        default: break
        }
    }

    /// Checks refusals at once; a refusal after a wait is found by the end of its call.
    private mutating func checkRefusal(
        _ error: CallError, of reply: ReplyID, after input: Input, _ machine: CallMachine
    ) {
        let isEmergency =
            switch input {
            case .requested(let request, reply):
                request.actions.count == 1 && request.actions.allSatisfy { isForEmergency($0, machine) }
            case .reported(.incoming(_, let update), let provider, reply):
                update.emergency == true && machine.providers[provider]?.isEntitled == true
            default: false
            }
        guard isEmergency else { return }
        switch error.code {
        case .filteredByBlockList, .filteredByDoNotDisturb, .cannotHoldActiveCall, .outgoingCallInProgress,
            .maximumCallGroupsReached, .limitsExceeded:
            expect(false, "an emergency is refused \(error.code.rawValue)")
        case .emergencyInProgress:
            let isStart =
                if case .requested(let request, _) = input { request.actions.first?.kind == .start } else { false }
            let other = machine.calls.values.contains { other in
                other.emergency && other.state != .ended && (!isStart || other.direction == .outgoing)
            }
            expect(other, "an emergency is refused for the sake of nobody's")
        default: break
        }
    }

    private func isForEmergency(_ action: CallAction, _ machine: CallMachine) -> Bool {
        switch action {
        case .start(_, let start): machine.isEmergency(start.handle)
        case .answer(let call): machine.calls[call]?.emergency == true
        case .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer: false
        }
    }
}

extension History {
    /// An emergency call is declared by a provider that came with the system or that the user marked. One that is to be
    /// started goes to a provider that reaches the services with its number.
    private mutating func checkEntitlement(of call: Call, _ machine: CallMachine) {
        guard call.state != .ended, let provider = machine.providers[call.provider] else { return }
        expect(
            !call.emergency || provider.isEntitled,
            "\(call.provider) declares call \(call.id) an emergency call, and may not")
        guard call.state == .starting, let handle = call.handle, machine.isEmergency(handle) else { return }
        expect(
            call.emergency && provider.isEmergency(handle),
            "call \(call.id) to \(handle) goes to \(call.provider), which does not reach the emergency services")
    }

    /// Notes that an emergency call has gone on to another provider.
    private mutating func notePassingOn(_ call: Call, after input: Input) {
        expect(call.emergency && call.direction == .outgoing, "call \(call.id) changes its provider")
        if let former = added[call.id] { passedOver[call.id, default: []].insert(former) }
        added[call.id] = call.provider
    }

    /// No emergency call ends for its provider's sake while it is being started and another could take it.
    private mutating func checkPassingOn(_ call: Call, after input: Input, _ machine: CallMachine) {
        guard call.emergency, call.state == .ended, !isLeaving, let seen = observer.calls[call.id],
            seen.state == .starting, let handle = call.handle
        else { return }
        let origins: [Origin] = [.provider, .deadline, .remote]
        guard let origin = call.endedBy, origins.contains(origin) else { return }
        var over = (passedOver[call.id] ?? []).union([seen.provider ?? call.provider, call.provider])
        // It was not there a moment ago.
        if case .providerRegistered(let id, _, _, _) = input { over.insert(id) }
        let next = machine.candidates(for: StartRequest(handle)).first { candidate in
            candidate.reason == nil && !over.contains(candidate.provider.id)
        }
        expect(next == nil, "emergency call \(call.id) ends though \(next?.provider.id.rawValue ?? "") could take it")
    }

    /// Whether an action tells a provider to end a call that has gone on to another.
    private func isOfFormerProvider(_ action: PerformedAction) -> Bool {
        guard case .end(let call, _) = action.action else { return false }
        return isOfFormerProvider(action, of: call) || added[call] == action.provider
    }

    private func isOfFormerProvider(_ action: PerformedAction, of call: CallID) -> Bool {
        passedOver[call]?.contains(action.provider) == true
    }

    /// Whether the start of another emergency call ends this one, which came in.
    private func isOvertaken(_ call: Call, by rule: Rule?) -> Bool { call.direction == .incoming && rule == .emergency }
}

extension History {
    /// Nobody waits any more for a provider that did not answer an action of the line, although it had time.
    private mutating func checkForfeiting(_ action: PerformedAction?, _ machine: CallMachine) {
        guard let action, machine.unanswered.contains(where: { $0.id == action.id }) else { return }
        switch action.action.kind {
        case .start, .answer, .setHeld, .setGroup:
            let count = machine.waiting(for: action.provider)
            expect(
                count == 0, "\(count) requests wait for \(action.provider), which did not answer a\(action.id.number)")
        case .end, .setMuted, .playDTMF, .setTranslating, .transfer, .transferTo, .answerTransfer: break
        }
    }
}

extension History {
    /// Returns what is overdue once all due timers have fired: answers that are awaited beyond their deadlines, and
    /// emergency calls that have waited for longer than the deadline `urgent`.
    package func overdue(_ shell: ScenarioShell) -> [String] {
        let limit = UInt64(shell.machine.deadlines[.urgent]) * 1_000
        let late = emergencies.compactMap { id, since in
            since + limit < shell.now.uptime
                ? "emergency call \(id) is not begun for \(shell.now.uptime - since) µs" : nil
        }
        let waiting = waits.filter { $0.value <= shell.now.uptime }.map { "\($0.key) is over and still awaited" }
        return late + waiting.sorted()
            + pending.values.compactMap { action in
                guard let deadline = shell.machine.awaited(action.id)?.performed.deadline,
                    deadline.uptime <= shell.now.uptime
                else { return nil }
                return "a\(action.id.number) is awaited \(shell.now.uptime - deadline.uptime) µs beyond its deadline"
            }
    }

    /// Returns who still waits once every provider has answered.
    package func unrest(_ machine: CallMachine) -> [String] {
        var found: [String] = []
        if let reply = open.min(by: { $0.number < $1.number }) {
            found.append("at rest: #\(reply.number) was never answered")
        }
        if !machine.isIdle { found.append("at rest: something is still under way") }
        found += announced.unkept.map { "at rest: \($0)" }
        return found
    }

    /// Returns the calls that are left once each was asked to end.
    package func remains(_ machine: CallMachine) -> [String] {
        machine.calls.values.filter { $0.state != .ended }.sorted { $0.id.low < $1.id.low }.map {
            "call \($0.id) cannot be ended: it is \($0.state.rawValue)"
        }
    }

    /// Returns how much of the time granted to pending actions is left, in µs.
    func remaining(at now: Instant) -> UInt64 {
        pending.values.reduce(0) { $0 + ($1.deadline.uptime - min(now.uptime, $1.deadline.uptime)) }
            + waits.values.reduce(0) { $0 + ($1 - min(now.uptime, $1)) }
    }
}
