// The cells of any input; among them those of outcomes, of providers and of time. And the whole map.

package import CallCore
import CallModel

extension Cell {
    /// The cells that an input falls into: one, or one for each call that it touches.
    package static func of(_ input: Input, _ machine: CallMachine) -> [Cell] {
        switch input {
        case .requested(let request, _): [of(request, machine)]
        case .reported(let report, let provider, _): [of(report, by: provider, machine)]
        case .actionFulfilled(let id, _, _): [outcome(.fulfil, id, machine)]
        case .actionFailed(let id, _, _): [outcome(.refuse, id, machine)]
        case .timerFired(let timer): [over(timer, machine)]
        case .providerRegistered(let id, _, _, _):
            machine.providers[id]?.isReady == true
                ? ofCalls(.providerAgain, of: id, machine)
                : [Cell(.providerComes, [machine.providers[id] == nil ? .new : .back])]
        case .providerReconfigured(let id, let configuration):
            [
                Cell(
                    .providerChanges,
                    [machine.providers[id].map { $0.configuration == configuration ? .same : .changes } ?? .unknown])
            ]
        case .providerLost(let id):
            machine.providers[id]?.isReady == true
                ? ofCalls(.providerLost, of: id, machine) : [Cell(.providerLost, [.gone])]
        case .providerRestarted(let id):
            machine.providers[id]?.isReady == true
                ? ofCalls(.providerRestarts, of: id, machine) : [Cell(.providerRestarts, [.gone])]
        case .providerRemoved(let id):
            machine.providers[id] != nil
                ? ofCalls(.providerLeaves, of: id, machine) : [Cell(.providerLeaves, [.gone])]
        case .audioReleased(let id):
            [Cell(.audioReleased, [machine.audio.releasing == id ? .asked : .notAsked])]
        case .audioAgentRegistered(let id):
            [audioAgentComes(id, machine)]
        case .audioAgentLost(let id):
            [Cell(.audioAgentGoes, machine.audio.agent == id ? phase(machine) : [.unknown])]
        case .audioPrepared(let id, let provider, let failed):
            [Cell(.audioPrepared, isAwaited(id, provider, machine) ? [failed ? .failed : .asked] : [.notAsked])]
        case .ringingSilenced:
            [Cell(.silence, [machine.calls.values.contains { $0.state == .ringing } ? .ringingToo : .nobodyRings])]
        case .doNotDisturbSet(let value): [Cell(.doNotDisturb, [value ? .on : .off])]
        case .doNotDisturbRulesSet: [Cell(.doNotDisturbRules, [machine.doNotDisturb ? .on : .off])]
        case .defaultProvidersSet: [Cell(.defaultProviders, [])]
        case .emergencyProvidersSet: [Cell(.emergencyProviders, [])]
        case .providersKnown: [Cell(.knownProviders, [])]
        case .lookUpExpected: [Cell(.lookUpComes, [.expected])]
        case .lookUpAvailable(let value): [lookUpComes(value, machine)]
        case .lookedUp(let id, let caller): [lookedUp(id, caller, machine, .lookedUp)]
        case .screenerRegistered(let id):
            [Cell(.screenerComes, [machine.activeScreeners.contains(id) ? .known : .new])]
        case .screenerLost(let id): screenerGoes(id, machine)
        case .screened(let id, let screener, let verdict):
            [screened(id, screener, verdict.map { Fact($0.word) } ?? .nonsense, machine)]
        case .shutdownRequested: machine.isLeaving ? [Cell(.shutDown, [.again])] : ofCalls(.shutDown, of: nil, machine)
        }
    }

    private static func outcome(_ event: Event, _ id: ActionID, _ machine: CallMachine) -> Cell {
        guard let action = machine.awaited(id) else { return Cell(event, [.stray]) }
        let kind = Fact(action.performed.action)
        guard action.purpose != .notice, let call = machine.calls[action.performed.action.call] else {
            return Cell(event, [kind, .notice])
        }
        let purpose: Fact =
            switch action.purpose {
            case .requested: .requested
            case .clearing: .clearing
            case .compensation: .compensation
            case .notice: .notice
            }
        return Cell(event, [kind, purpose, Fact(call.state)])
    }

    private static func over(_ timer: TimerID, _ machine: CallMachine) -> Cell {
        func state(_ id: CallID) -> Fact { machine.calls[id].map { Fact($0.state) } ?? .unknown }
        switch timer {
        case .action(let id): return outcome(.deadline, id, machine)
        case .ring(let id): return Cell(.ringOver, [state(id)])
        case .connect(let id):
            let rest = machine.calls[id].flatMap { $0.isDialing ? gap($0, machine) : nil } ?? []
            return Cell(.connectOver, [state(id)] + rest)
        case .linger(let id): return Cell(.lingerOver, [state(id)])
        case .lookUp(let id): return lookedUp(id, .unanswered, machine, .lookUpOver)
        case .screen(let id): return screenOver(id, machine)
        case .audioPrepare(let id):
            return Cell(.audioPrepareOver, [machine.audio.preparing == id ? .asked : .notAsked])
        case .audioRelease(let id):
            return Cell(.audioReleaseOver, [machine.audio.releasing == id ? .asked : .notAsked])
        }
    }

    /// What is done with the audio: nobody has it, it is being prepared, or somebody has it.
    private static func phase(_ machine: CallMachine) -> [Fact] {
        switch machine.audio.phase {
        case .idle, .waiting, .releasing: [.off]
        case .preparing: [.preparing]
        case .active: [.on]
        }
    }

    private static func audioAgentComes(_ id: AudioAgentID, _ machine: CallMachine) -> Cell {
        guard let agent = machine.audio.agent else { return Cell(.audioAgentComes, [.new] + phase(machine)) }
        return Cell(.audioAgentComes, [agent == id ? .same : .again] + phase(machine))
    }

    private static func isAwaited(_ agent: AudioAgentID, _ provider: ProviderID, _ machine: CallMachine) -> Bool {
        machine.audio.agent == agent && machine.audio.preparing == provider
    }

    /// One cell for each live call that goes.
    private static func ofCalls(_ event: Event, of provider: ProviderID?, _ machine: CallMachine) -> [Cell] {
        let own = machine.calls.values.filter { call in
            call.state != .ended && (provider.map { call.provider == $0 } ?? true)
        }
        let waits = machine.waiting.contains { call in provider.map { call.provider == $0 } ?? true }
        let waiting = waits ? [Cell(event, [.waitsToRing])] : []
        guard !own.isEmpty || waits else { return [Cell(event, [.noCalls])] }
        return waiting
            + own.map { call in
                let survives = machine.displaced.map { machine.calls[$0]?.provider != provider } ?? false
                let rest =
                    [.providerLost, .providerRestarts].contains(event) && survives ? gap(call, machine) ?? [] : []
                return Cell(event, [Fact(call.state)] + rest)
            }
    }

    /// The whole map, in its order.
    package static let all: [Cell] = {
        func cells(_ event: Event, _ facts: [[Fact]]) -> [Cell] { facts.map { Cell(event, $0) } }
        var all = allOfRequests + allOfReports + allOfFiltering
        for event in [Event.fulfil, .refuse, .deadline] {
            all += cells(event, product([.stray]) + product([.end, .hold], [.notice]))
            all += cells(event, product(works, [.requested], outcomeStates))
            all += cells(event, product([.hold, .end], [.clearing], outcomeStates))
            all += cells(event, product([.hold, .resume], [.compensation], outcomeStates))
        }
        all += cells(.providerComes, product([.new, .back]))
        all += cells(.providerChanges, product([.same, .changes, .unknown]))
        let live = states.filter { $0 != .ended }
        all += cells(.providerLost, product([.gone, .noCalls, .waitsToRing] + live) + gaps)
        all += cells(.providerRestarts, product([.gone, .noCalls, .waitsToRing] + live) + gaps)
        all += cells(.providerLeaves, product([.gone, .noCalls, .waitsToRing] + live))
        all += cells(.providerAgain, product([.noCalls, .waitsToRing] + live))
        all += cells(.shutDown, product([.again, .noCalls, .waitsToRing] + live))
        all += cells(.ringOver, product([.unknown] + states)) + cells(.lingerOver, product([.unknown] + states))
        all += cells(.connectOver, product([.unknown] + states))
        all += cells(.connectOver, gaps.filter { $0[0] == .started || $0[0] == .connecting })
        for event in [Event.audioReleased, .audioReleaseOver] { all += cells(event, product([.asked, .notAsked])) }
        all += cells(
            .audioAgentComes, product([.new], [.off, .on]) + product([.again, .same], [.off, .preparing, .on]))
        all += cells(.audioAgentGoes, product([.unknown, .off, .preparing, .on]))
        all += cells(.audioPrepared, product([.asked, .failed, .notAsked]))
        all += cells(.audioPrepareOver, product([.asked, .notAsked]))
        all += cells(.silence, product([.ringingToo, .nobodyRings])) + cells(.doNotDisturb, product([.on, .off]))
        all +=
            cells(.defaultProviders, [[]]) + cells(.emergencyProviders, [[]])
            + cells(.knownProviders, [[]])
        return all
    }()

    /// A call has not ended while an answer is awaited for it.
    private static let outcomeStates = states.filter { $0 != .ended }
}
