// What the arbiter and the machine ask of all calls at once; answered from the indices.

import CallModel

/// Calls that want the line together: one, or two that are to be grouped, and the members of a group.
struct Party: Sendable, Hashable {
    var one: CallID?
    var other: CallID?
    var group: GroupID?

    func contains(_ call: Call) -> Bool { contains(call.id, call.group) }

    func contains(_ call: LineCall) -> Bool { contains(call.id, call.group) }

    func contains(_ id: CallID, _ group: GroupID?) -> Bool {
        id == one || id == other || (group != nil && group == self.group)
    }
}

/// The slots of the members of a group, or that of a lone call.
struct Members: RandomAccessCollection, Sendable {
    private let lone: Int?
    private let group: [Int]

    init(lone: Int? = nil, group: [Int] = []) {
        self.lone = lone
        self.group = group
    }

    var startIndex: Int { 0 }
    var endIndex: Int { lone == nil ? group.count : 1 }

    subscript(position: Int) -> Int { lone ?? group[position] }
}

extension CallTable {
    /// The slots of the live calls of `id`'s group in the order in which they joined; its own alone if it has none.
    func members(with id: CallID) -> Members {
        guard let slot = slot(of: id) else { return Members() }
        guard let group = slots[slot].call?.group else { return Members(lone: slot) }
        return Members(group: groups[group]?.members ?? [])
    }

    /// The calls that have the line and are not of `party`, the members of a group in the order in which they joined.
    func line(without party: Party) -> [LineCall] {
        line.contains(where: party.contains) ? line.filter { !party.contains($0) } : line
    }

    /// Whether an emergency call that does not ring has not begun to end.
    func hasEmergency(besides party: Party) -> Bool { emergencies.contains { isInTheWay($0, of: party) } }

    /// The same, by name.
    func emergencies(besides party: Party) -> [Call] {
        calls(in: emergencies.filter { isInTheWay($0, of: party) })
    }

    private func isInTheWay(_ slot: Int, of party: Party) -> Bool {
        guard slots[slot].standing.state != .ending, let id = slots[slot].call?.id else { return false }
        return !party.contains(id, slots[slot].standing.group)
    }

    /// The call that the arbiter held last.
    var lastDisplaced: CallID? { displaced.lastSlot.flatMap { slots[$0].call?.id } }

    func ringingCount(of provider: ProviderID) -> Int {
        tallyOfProvider[provider].map { tallies[$0].ringing.count } ?? 0
    }

    /// Whether anyone is held but `party` and the members of the groups that calls of `obstacles` are in.
    func holdsOthers(than party: Party, and obstacles: [LineCall]) -> Bool {
        var count = heldCount
        forEachSlot(of: party) { if slots[$0].standing.marks.contains(.held) { count -= 1 } }
        for (index, obstacle) in obstacles.enumerated() {
            guard let group = obstacle.group, group != party.group,
                !obstacles[..<index].contains(where: { $0.group == group })
            else { continue }
            for slot in groups[group]?.members ?? [] where slots[slot].standing.marks.contains(.held) {
                if let call = slots[slot].call, !party.contains(call) { count -= 1 }
            }
        }
        return count > 0
    }

    /// Rule 4: the call groups of a provider, lone calls included, without `party` and without `leaving`.
    func groupCount(of provider: ProviderID, without party: Party, leaving: [LineCall]) -> Int {
        guard let tally = tallyOfProvider[provider] else { return 0 }
        return groupCount(of: tally, without: party, leaving: leaving)
    }

    func groupCount(of tally: Int, without party: Party, leaving: [LineCall]) -> Int {
        var count = tallies[tally].loneCounted + tallies[tally].groupsCounted
        func leaves(_ slot: Int) -> Bool {
            guard let call = slots[slot].call else { return true }
            return party.contains(call) || leaving.contains { $0.slot == slot }
        }
        func take(_ slot: Int) {
            guard slots[slot].tally == tally, slots[slot].standing.marks.contains(.counted) else { return }
            if let group = slots[slot].standing.group, let members = groups[group]?.members {
                // A group goes with the last of its calls that count.
                let counted = members.filter { slots[$0].standing.marks.contains(.counted) }
                guard counted.first == slot, counted.allSatisfy(leaves) else { return }
            }
            count -= 1
        }
        forEachSlot(of: party, take)
        for call in leaving where !party.contains(call) { take(call.slot) }
        return count
    }

    /// The slots of a party, each once.
    private func forEachSlot(of party: Party, _ body: (Int) -> Void) {
        if let group = party.group { for slot in groups[group]?.members ?? [] { body(slot) } }
        if let one = party.one, let slot = slot(of: one), !isMember(slot, of: party.group) { body(slot) }
        if let other = party.other, let slot = slot(of: other), !isMember(slot, of: party.group) { body(slot) }
    }

    private func isMember(_ slot: Int, of group: GroupID?) -> Bool {
        group != nil && slots[slot].standing.group == group
    }
}
