// Lone calls and groups: how many of them a provider has, and which of them others can join.

import CallModel

extension CallTable {
    // MARK: Tallies

    mutating func takeTally(of provider: ProviderID) -> Int {
        if let tally = tallyOfProvider[provider] {
            tallies[tally].slots += 1
            return tally
        }
        let tally = freeTallies.popLast() ?? tallies.count
        if tally == tallies.count {
            tallies.append(ProviderTally(id: provider, slots: 1))
        } else {
            tallies[tally] = ProviderTally(id: provider, slots: 1)
        }
        tallyOfProvider[provider] = tally
        return tally
    }

    mutating func releaseTally(_ tally: Int) {
        tallies[tally].slots -= 1
        guard tallies[tally].slots == 0 else { return }
        tallyOfProvider[tallies[tally].id] = nil
        freeTallies.append(tally)
    }

    /// The provider's configuration has changed.
    mutating func configure(_ provider: ProviderID, _ configuration: ProviderConfiguration) {
        if let tally = tallyOfProvider[provider] { setLimits(GroupLimits(configuration), of: tally) }
    }

    mutating func setLimits(_ limits: GroupLimits, of tally: Int) {
        guard tallies[tally].limits != limits else { return }
        if tallies[tally].limits.translates != limits.translates {
            for slot in tallyLinks.slots(of: tallies[tally].talking) { touch(slot) }
        }
        tallies[tally].limits = limits
        touchTally(tally)
        tallies[tally].openUnits = 0
        tallies[tally].openUnitsSum = 0
        for slot in tallyLinks.slots(of: tallies[tally].talking) where slots[slot].standing.group == nil {
            tallies[tally].count(loneUnit(slot), isOpen: isOpen(slot), by: 1)
        }
        for (id, group) in groups where group.tally == tally {
            tallies[tally].count(id.unit, isOpen: group.isOpen(limits.perGroup), by: 1)
        }
    }

    // MARK: Units

    /// The number of the unit that a call is, or is in, if others can join it.
    func openUnit(_ slot: Int) -> UInt64? {
        guard let group = slots[slot].standing.group else { return isOpen(slot) ? loneUnit(slot) : nil }
        return groups[group]?.isOpen(tallies[slots[slot].tally].limits.perGroup) == true ? group.unit : nil
    }

    private func loneUnit(_ slot: Int) -> UInt64 { slots[slot].createdOrder << 1 }

    private func isOpen(_ slot: Int) -> Bool {
        slots[slot].standing.marks.contains(.groupable) && tallies[slots[slot].tally].limits.perGroup > 1
    }

    mutating func leaveUnit(_ slot: Int, _ old: Standing) {
        let tally = slots[slot].tally
        guard let id = old.group else {
            if old.marks.contains(.counted) { tallies[tally].loneCounted -= 1 }
            let isOpen = old.marks.contains(.groupable) && tallies[tally].limits.perGroup > 1
            tallies[tally].count(loneUnit(slot), isOpen: isOpen, by: -1)
            return
        }
        guard var group = groups.removeValue(forKey: id) else { return }
        count(group, id, by: -1)
        group.members.removeAll { $0 == slot }
        if old.marks.contains(.counted) { group.counted -= 1 }
        if old.marks.contains(.groupable) { group.groupable -= 1 }
        if group.members.isEmpty { return }
        count(group, id, by: 1)
        groups[id] = group
        touchMembers(of: id)
    }

    mutating func joinUnit(_ slot: Int, _ new: Standing) {
        let tally = slots[slot].tally
        guard let id = new.group else {
            if new.marks.contains(.counted) { tallies[tally].loneCounted += 1 }
            tallies[tally].count(loneUnit(slot), isOpen: isOpen(slot), by: 1)
            return
        }
        var group = groups.removeValue(forKey: id) ?? GroupRecord(tally: tally)
        count(group, id, by: -1)
        let place = group.members.firstIndex { slots[$0].standing.joinedOrder > new.joinedOrder }
        group.members.insert(slot, at: place ?? group.members.count)
        if new.marks.contains(.counted) { group.counted += 1 }
        if new.marks.contains(.groupable) { group.groupable += 1 }
        count(group, id, by: 1)
        groups[id] = group
        touchMembers(of: id)
    }

    private mutating func count(_ group: GroupRecord, _ id: GroupID, by step: Int) {
        if group.counted > 0 { tallies[group.tally].groupsCounted += step }
        tallies[group.tally].count(id.unit, isOpen: group.isOpen(tallies[group.tally].limits.perGroup), by: step)
    }

    /// What can be done with a member depends on all of them.
    mutating func touchMembers(of group: GroupID) {
        guard let members = groups[group]?.members else { return }
        for member in members { touch(member) }
    }
}
