// Which calls are in the way of a call that wants the line.

import CallCore
import CallModel

/// The line as a newcomer finds it.
struct LineView {
    let machine: CallMachine
    let live: [Call]
    /// The calls that are to share the line.
    let members: Set<CallID>
    let provider: ProviderID

    init(_ machine: CallMachine, for members: Set<CallID>, of provider: ProviderID) {
        self.machine = machine
        self.members = members
        self.provider = provider
        live = machine.calls.values.filter { $0.state != .ended }
    }

    var obstacles: [Call] { live.filter { $0.hasLine && !members.contains($0.id) } }

    var obstacle: Cell.Fact {
        let isEmergency = live.contains {
            $0.emergency && $0.state != .ringing && $0.state != .ending && !members.contains($0.id)
        }
        if isEmergency { return .emergency }
        let obstacles = obstacles
        guard let first = obstacles.first else { return .nothing }
        if obstacles.contains(where: \.isDialing) { return .dialing }
        let present = obstacles.filter { $0.state != .ending }
        if present.isEmpty { return .leaving }
        if present.contains(where: { $0.state == .answering }) { return .taking }
        if present.contains(where: { $0.state == .holding || $0.state == .resuming }) { return .moving }
        let isHoldable = present.allSatisfy { $0.isHoldable && !isExchanged($0) }
        if first.group != nil { return isHoldable ? .group : .unholdableGroup }
        return isHoldable ? .holdable : .unholdable
    }

    /// Whether the call's provider would resume another call, which is not of the newcomers, when it holds this one.
    func isExchanged(_ call: Call) -> Bool {
        call.partner(machine).map { !members.contains($0.id) } ?? false
    }

    var side: Cell.Fact { obstacles.contains { $0.provider != provider } ? .otherProvider : .sameProvider }

    /// Rule 4: whether the provider has no room for one more.
    func isFull(_ conflict: ConflictPolicy) -> Bool {
        let leaving = conflict == .end ? Set(obstacles.map(\.id)) : []
        let own = live.filter {
            $0.provider == provider && $0.state != .ringing && $0.state != .ending && !members.contains($0.id)
                && !leaving.contains($0.id)
        }
        let lone = own.count { $0.group == nil }
        let groups = lone + Set(own.compactMap(\.group)).count
        return groups >= Int(machine.providers[provider]?.configuration.maximumCallGroups ?? 0)
    }

    /// The row "held calls", where it matters: somebody else is held already.
    var heldRow: [Cell.Fact] {
        let line = Set(obstacles.compactMap(\.group))
        let isSomebodyHeld = live.contains { call in
            call.state == .held && !members.contains(call.id) && !(call.group.map(line.contains) ?? false)
        }
        guard isSomebodyHeld else { return [] }
        switch machine.policy.heldCalls {
        case .unlimited: return [.heldUnlimited]
        case .oneOrRefuse: return [.heldOrRefuse]
        case .oneOrEnd: return [.heldOrEnd]
        }
    }

    /// What a newcomer finds: who is at work, who is in the way, what may be done about it.
    func facts(_ conflict: ConflictPolicy, isAnswer: Bool = false, needsRoom: Bool = false) -> [Cell.Fact] {
        if let work = machine.workAtLine { return [.waits, Cell.Fact(work)] }
        let obstacle = obstacle
        if obstacle == .emergency { return [obstacle] }
        if obstacle == .dialing, !(isAnswer && conflict == .end) { return [obstacle] }
        if needsRoom, isFull(conflict) { return [.full, Cell.Fact(conflict)] }
        switch obstacle {
        case .holdable, .group:
            return [obstacle, side, Cell.Fact(conflict)] + (conflict == .hold ? heldRow : [])
        case .unholdable, .unholdableGroup:
            guard isAnswer, conflict == .hold else { return [obstacle, side, Cell.Fact(conflict)] }
            let row: Cell.Fact = machine.policy.unholdable == .ends ? .unholdableEnds : .unholdableRefuses
            return [obstacle, side, Cell.Fact(conflict), row]
        case .dialing: return [obstacle, Cell.Fact(conflict)]
        default: return [obstacle]
        }
    }

    /// The same for an emergency call, which neither waits its turn nor asks.
    var emergencyFacts: [Cell.Fact] {
        let obstacle = obstacle
        let rings = live.contains { $0.state == .ringing && !$0.emergency && !members.contains($0.id) }
        let side: [Cell.Fact] = obstacle == .nothing || obstacle == .emergency ? [] : [side]
        return [obstacle] + side + (rings ? [.ringingToo] : [])
    }
}

extension Cell.Fact {
    init(_ conflict: ConflictPolicy) {
        self =
            switch conflict {
            case .hold: .conflictHold
            case .end: .conflictEnd
            case .fail: .conflictFail
            }
    }
}

extension Cell {
    static let obstacles: [Fact] = [
        .nothing, .holdable, .unholdable, .group, .unholdableGroup, .dialing, .taking, .moving, .leaving, .emergency,
    ]
    static let sides: [Fact] = [.sameProvider, .otherProvider]
    static let conflicts: [Fact] = [.conflictHold, .conflictEnd, .conflictFail]
    static let heldRows: [Fact] = [.heldUnlimited, .heldOrRefuse, .heldOrEnd]
    static let works: [Fact] = [
        .start, .answer, .end, .hold, .resume, .mute, .translate, .join, .leave, .dtmf,
        .transfer, .answerTransfer,
    ]

    /// Every list of facts that `LineView.facts` may give.
    static func line(_ conflicts: [Fact], isAnswer: Bool = false, needsRoom: Bool = false) -> [[Fact]] {
        var all = product([.waits], works) + product([.nothing, .emergency, .taking, .moving, .leaving])
        all += isAnswer ? product([.dialing]) + product([.dialing], [.conflictEnd]) : product([.dialing])
        if needsRoom { all += product([.full], conflicts) }
        all += product([.holdable, .group], sides, conflicts)
        all += product([.holdable, .group], sides, [.conflictHold], heldRows)
        if isAnswer {
            all += product([.unholdable, .unholdableGroup], sides, [.conflictEnd, .conflictFail])
            all += product(
                [.unholdable, .unholdableGroup], sides, [.conflictHold], [.unholdableRefuses, .unholdableEnds])
        } else {
            all += product([.unholdable, .unholdableGroup], sides, conflicts)
        }
        return all
    }

    static var emergencyLine: [[Fact]] {
        let inTheWay = obstacles.filter { $0 != .nothing && $0 != .emergency }
        return product([.nothing, .emergency]) + product([.nothing, .emergency], [.ringingToo])
            + product(inTheWay, sides) + product(inTheWay, sides, [.ringingToo])
    }

    /// One of each list, in every combination.
    static func product(_ lists: [Fact]...) -> [[Fact]] {
        lists.reduce([[]]) { rows, list in rows.flatMap { row in list.map { row + [$0] } } }
    }
}
