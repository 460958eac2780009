// The cells of what somebody asks for.

import CallCore
import CallModel

extension Cell {
    static func of(_ request: Request, _ machine: CallMachine) -> Cell {
        if machine.isLeaving { return Cell(.several, [.shuttingDown]) }
        guard let action = request.actions.first else { return Cell(.several, [.nothing]) }
        if request.actions.count > machine.limits.actionsPerTransaction { return Cell(.several, [.tooMany]) }
        if request.actions.count > 1 { return Cell(.several, [Fact(action)]) }
        switch action {
        case .start(let id, let start):
            let provider = try? machine.provider(for: start, request.conflict)
            return self.start(id, provider, start.handle, request.conflict, machine)
        case .answer(let id): return answer(machine.calls[id], request.conflict, machine)
        case .end(let id, _): return end(machine.calls[id], machine)
        case .setHeld(let id, true): return hold(machine.calls[id], machine)
        case .setHeld(let id, false): return resume(machine.calls[id], request.conflict, machine)
        case .setMuted(let id, let muted):
            guard let call = machine.calls[id] else { return Cell(.mute, [.unknown]) }
            let isDone: [Fact] = muteless.contains(Fact(call.state)) ? [] : [call.muted == muted ? .same : .changes]
            return Cell(.mute, [Fact(call.state)] + isDone)
        case .transfer(let id, let target): return transfer(machine.calls[id], target, machine)
        case .answerTransfer(let id, let handle): return answerTransfer(machine.calls[id], handle)
        case .setTranslating(let id, let isTranslating, let languages):
            return translate(machine.calls[id], isTranslating ? languages : nil, machine)
        case .setGroup(let id, nil): return leave(machine.calls[id], machine)
        case .setGroup(let id, let other?):
            return join(machine.calls[id], machine.calls[other], request.conflict, machine)
        case .playDTMF(let id, _, _):
            guard let call = machine.calls[id] else { return Cell(.dtmf, [.unknown]) }
            let support: [Fact] = call.state == .active ? [call.supportsDTMF ? .supported : .unsupported] : []
            return Cell(.dtmf, [Fact(call.state)] + support)
        }
    }

    private static func start(
        _ id: CallID, _ provider: Provider?, _ handle: Handle, _ conflict: ConflictPolicy, _ machine: CallMachine
    ) -> Cell {
        if machine.knew(id) { return Cell(.start, [.identifierTaken]) }
        guard let provider else {
            return Cell(machine.isEmergency(handle) ? .emergencyStart : .start, [.noProvider])
        }
        let line = LineView(machine, for: [id], of: provider.id)
        if provider.isEmergency(handle) { return Cell(.emergencyStart, line.emergencyFacts) }
        return Cell(.start, line.facts(conflict, needsRoom: true))
    }

    private static func answer(_ call: Call?, _ conflict: ConflictPolicy, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.answer, [.unknown]) }
        if call.direction == .outgoing { return Cell(.answer, [.outgoing]) }
        guard call.state == .ringing else { return Cell(.answer, [Fact(call.state)]) }
        let line = LineView(machine, for: [call.id], of: call.provider)
        if call.emergency { return Cell(.emergencyAnswer, line.emergencyFacts) }
        return Cell(.answer, [.ringing] + line.facts(conflict, isAnswer: true, needsRoom: true))
    }

    private static func end(_ call: Call?, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.end, [.unknown]) }
        let facts = [Fact(call.state)]
        guard leavesGap.contains(Fact(call.state)) else { return Cell(.end, facts) }
        if call.group != nil { return Cell(.end, facts + [.grouped]) }
        guard let displaced = machine.displaced, let other = machine.calls[displaced] else {
            return Cell(.end, facts + [.nobodyHeld])
        }
        let rings = machine.calls.values.contains { $0.state == .ringing }
        let side: Fact = other.provider == call.provider ? .ownHeld : .otherHeld
        return Cell(.end, facts + [side] + (rings ? [.anotherRings] : []))
    }

    private static func hold(_ call: Call?, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.hold, [.unknown]) }
        guard call.state == .active else { return Cell(.hold, [Fact(call.state)]) }
        let members = call.together(machine)
        let capability: Fact =
            if members.contains(where: { !$0.supportsHolding }) {
                .unsupported
            } else if members.contains(where: \.emergency) {
                .isEmergency
            } else if members.contains(where: { !$0.canHoldNow }) {
                .notNow
            } else { .supported }
        let exchanged: [Fact] = call.partner(machine) == nil ? [] : [.exchanged]
        let turn: [Fact] = machine.workAtLine.map { [.waits, Fact($0)] } ?? exchanged
        return Cell(.hold, [call.group == nil ? .lone : .grouped, capability] + (capability == .supported ? turn : []))
    }

    private static func resume(_ call: Call?, _ conflict: ConflictPolicy, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.resume, [.unknown]) }
        guard call.state == .held else { return Cell(.resume, [Fact(call.state)]) }
        let line = LineView(machine, for: Set(call.together(machine).map(\.id)), of: call.provider)
        if call.group != nil { return Cell(.resume, [.held, .grouped, line.obstacle]) }
        return Cell(.resume, [.held] + line.facts(conflict))
    }

    /// - Parameter languages: nil to end it.
    private static func translate(_ call: Call?, _ languages: Languages?, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.translate, [.unknown]) }
        let state = Fact(call.state)
        guard translatable.contains(state) else { return Cell(.translate, [state]) }
        let provider = machine.providers[call.provider]
        if call.translation == nil, provider?.configuration.supportsAudioTranslation != true {
            return Cell(.translate, [state, .unsupported])
        }
        return Cell(.translate, [state, call.translation?.languages == languages ? .same : .changes])
    }

    private static func answerTransfer(_ call: Call?, _ handle: Handle?) -> Cell {
        guard let call else { return Cell(.answerTransfer, [.unknown]) }
        let state = Fact(call.state)
        guard state == .active || state == .held else { return Cell(.answerTransfer, [state]) }
        if call.emergency { return Cell(.answerTransfer, [.isEmergency]) }
        guard let requested = call.transferRequest else { return Cell(.answerTransfer, [state, .notAsked]) }
        return Cell(.answerTransfer, [state, handle == nil ? .reject : handle == requested ? .asked : .changes])
    }

    private static func transfer(_ call: Call?, _ target: TransferTarget, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.transfer, [.unknown]) }
        let state = Fact(call.state)
        guard state == .active || state == .held else { return Cell(.transfer, [state]) }
        if machine.providers[call.provider]?.configuration.supportsTransfer != true {
            return Cell(.transfer, [state, .unsupported])
        }
        if call.emergency { return Cell(.transfer, [.isEmergency]) }
        guard case .call(let id) = target else { return Cell(.transfer, [state, .alone]) }
        guard let other = machine.calls[id] else { return Cell(.transfer, [state, .partner, .unknown]) }
        if other.id == call.id { return Cell(.transfer, [.itself]) }
        return Cell(
            .transfer, other.provider == call.provider ? [state, .partner, Fact(other.state)] : [.otherProvider])
    }

    private static func leave(_ call: Call?, _ machine: CallMachine) -> Cell {
        guard let call else { return Cell(.leave, [.unknown]) }
        guard call.state == .active || call.state == .held else { return Cell(.leave, [Fact(call.state)]) }
        if call.group == nil { return Cell(.leave, [Fact(call.state), .lone]) }
        if !call.supportsUngrouping { return Cell(.leave, [Fact(call.state), .unsupported]) }
        let line = LineView(machine, for: Set(call.together(machine).map(\.id)), of: call.provider)
        return Cell(.leave, [Fact(call.state), .grouped, line.obstacle])
    }

    private static func join(
        _ call: Call?, _ other: Call?, _ conflict: ConflictPolicy, _ machine: CallMachine
    ) -> Cell {
        guard let call else { return Cell(.join, [.unknown]) }
        let state = Fact(call.state)
        guard state == .active || state == .held else { return Cell(.join, [state]) }
        guard let other else { return Cell(.join, [state, .partner, .unknown]) }
        if call.id == other.id { return Cell(.join, [.itself]) }
        if call.provider != other.provider { return Cell(.join, [.otherProvider]) }
        let otherState = Fact(other.state)
        guard otherState == .active || otherState == .held else { return Cell(.join, [state, .partner, otherState]) }
        if !call.supportsGrouping || !other.supportsGrouping { return Cell(.join, [.unsupported]) }
        if call.emergency || other.emergency { return Cell(.join, [.isEmergency]) }
        if let group = call.group, group == other.group { return Cell(.join, [.together]) }
        let members = other.together(machine)
        let maximum = machine.providers[call.provider]?.configuration.maximumCallsPerCallGroup ?? 0
        if members.count >= Int(maximum) { return Cell(.join, [.full]) }
        let line = LineView(machine, for: Set(members.map(\.id) + [call.id]), of: call.provider)
        if machine.workAtLine != nil || line.obstacle != .nothing { return Cell(.join, line.facts(conflict)) }
        return Cell(.join, [state, .partner, otherState] + (other.group == nil ? [] : [.grouped]))
    }

    static let muteless: Set<Fact> = [.ringing, .ending, .ended]
    static let translatable: Set<Fact> = [.active, .holding, .held, .resuming]
    /// The states in which an end leaves a gap that another may fill (rules 10 and 11).
    static let leavesGap: Set<Fact> = [.started, .connecting, .active, .holding, .resuming]
    static let states: [Fact] = [
        .starting, .started, .connecting, .ringing, .answering, .active, .holding, .held, .resuming, .ending, .ended,
    ]

    static var allOfRequests: [Cell] {
        func cells(_ event: Event, _ facts: [[Fact]]) -> [Cell] { facts.map { Cell(event, $0) } }
        let others = states.filter { $0 != .active && $0 != .held }
        let gaps = states.filter(leavesGap.contains)
        let hold = product([.lone, .grouped], [.supported, .unsupported, .notNow, .isEmergency])
        var all = cells(.several, product(works + [.shuttingDown, .nothing, .tooMany]))
        all += cells(.start, product([.identifierTaken, .noProvider]) + line(conflicts, needsRoom: true))
        all += cells(.emergencyStart, product([.noProvider]) + emergencyLine) + cells(.emergencyAnswer, emergencyLine)
        all += cells(.answer, product(states.filter { $0 != .ringing } + [.unknown, .outgoing]))
        all += cells(.answer, line(conflicts, isAnswer: true, needsRoom: true).map { [.ringing] + $0 })
        all += cells(.end, product(states.filter { !leavesGap.contains($0) } + [.unknown]))
        all += cells(.end, product(gaps, [.grouped, .nobodyHeld, .ownHeld, .otherHeld]))
        all += cells(.end, product(gaps, [.ownHeld, .otherHeld], [.anotherRings]))
        all += cells(.hold, product(states.filter { $0 != .active } + [.unknown]) + hold)
        all += cells(.hold, product([.lone, .grouped], [.supported], [.waits], works))
        all += cells(.hold, product([.lone, .grouped], [.supported], [.exchanged]))
        all += cells(.resume, product(states.filter { $0 != .held } + [.unknown]))
        all += cells(.resume, line(conflicts).map { [.held] + $0 } + product([.held], [.grouped], obstacles))
        all += cells(.mute, product([.unknown] + states.filter(muteless.contains)))
        all += cells(.mute, product(states.filter { !muteless.contains($0) }, [.changes, .same]))
        all += cells(.translate, product([.unknown] + states.filter { !translatable.contains($0) }))
        all += cells(.translate, product(states.filter(translatable.contains), [.changes, .same, .unsupported]))
        all += cells(.dtmf, product([.unknown] + states.filter { $0 != .active }))
        all += cells(.dtmf, product([.active], [.supported, .unsupported]))
        all += cells(.transfer, product([.unknown] + others) + product([.itself, .otherProvider, .isEmergency]))
        all += cells(.answerTransfer, product([.unknown] + others) + product([.isEmergency]))
        all += cells(.answerTransfer, product([.active, .held], [.asked, .notAsked, .changes, .reject]))
        all += cells(.transfer, product([.active, .held], [.alone, .unsupported]))
        all += cells(.transfer, product([.active, .held], [.partner], [.unknown] + states))
        all += cells(.leave, product([.unknown] + others) + product([.active, .held], [.lone, .unsupported]))
        all += cells(.leave, product([.active, .held], [.grouped], obstacles))
        all += cells(.join, product([.unknown] + others))
        all += cells(.join, product([.itself, .otherProvider, .unsupported, .isEmergency, .together, .full]))
        all += cells(.join, product([.active, .held], [.partner], [.unknown] + others + [.active, .held]))
        all += cells(.join, product([.active, .held], [.partner], [.active, .held], [.grouped]))
        all += cells(.join, line(conflicts).filter { $0 != [.nothing] })
        return all
    }
}

extension Call {
    /// The held call that its provider resumes when it holds this one; nil if there is none.
    func partner(_ machine: CallMachine) -> Call? {
        guard standing.swaps else { return nil }
        let (provider, group) = (standing.provider, standing.group)
        return machine.calls.values.first {
            $0.state == .held && $0.provider == provider && ($0.group == nil || $0.group != group)
        }
    }

    /// The call and the other members of its group.
    func together(_ machine: CallMachine) -> [Call] {
        guard let group = standing.group else { return [self] }
        return machine.calls.values.filter { $0.group == group && $0.state != .ended }
    }
}
