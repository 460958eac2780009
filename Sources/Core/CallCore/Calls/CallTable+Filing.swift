// A call was touched: the indices follow it, each only if what it depends on has changed.

import CallModel

extension CallTable {
    mutating func refile(_ slot: Int) {
        guard slot != 0 else { return slots[0].call = nil }
        touch(slot)
        var new = Standing()
        slots[slot].call?.change { new = $0.standing }
        let old = slots[slot].standing
        guard new != old else { return }
        slots[slot].standing = new
        let changed = old.marks.symmetricDifference(new.marks)
        if !changed.isEmpty { count(slot, changed, new.marks) }
        if changed.contains(.displaced) || old.heldOrder != new.heldOrder { fileDisplaced(slot, old, new) }
        if old.marks.contains(.hasLine) || new.marks.contains(.hasLine) { fileOnLine(slot, new) }
        if !changed.isDisjoint(with: [.counted, .groupable]) || old.group != new.group
            || old.joinedOrder != new.joinedOrder
        {
            leaveUnit(slot, old)
            joinUnit(slot, new)
        } else if let group = new.group {
            touchMembers(of: group)
        }
        if !old.isRingingOrGone || !new.isRingingOrGone { sceneIsNew = true }
        touchTally(slots[slot].tally)
    }

    private mutating func count(_ slot: Int, _ changed: Standing.Marks, _ now: Standing.Marks) {
        let tally = slots[slot].tally
        if changed.contains(.live) { liveCount += now.contains(.live) ? 1 : -1 }
        if changed.contains(.held) { heldCount += now.contains(.held) ? 1 : -1 }
        if changed.contains(.ringing) {
            ringingCount += now.contains(.ringing) ? 1 : -1
            if now.contains(.ringing) {
                tallyLinks.append(slot, to: &tallies[tally].ringing)
            } else {
                tallyLinks.remove(slot, from: &tallies[tally].ringing)
            }
        }
        if changed.contains(.loud) {
            if now.contains(.loud) { loudLinks.append(slot, to: &loud) } else { loudLinks.remove(slot, from: &loud) }
        }
        if changed.contains(.talking) {
            if now.contains(.talking) {
                tallyLinks.append(slot, to: &tallies[tally].talking)
            } else {
                tallyLinks.remove(slot, from: &tallies[tally].talking)
            }
        }
        if changed.contains(.emergency) || now.contains(.emergency) {
            emergencies.removeAll { $0 == slot }
            ringingEmergencies.removeAll { $0 == slot }
            sceneIsNew = true
            guard now.contains(.emergency) else { return }
            if now.contains(.ringing) {
                insert(slot, into: \.ringingEmergencies)
            } else {
                insert(slot, into: \.emergencies)
            }
        }
    }

    private mutating func insert(_ slot: Int, into list: WritableKeyPath<CallTable, [Int]>) {
        let place = self[keyPath: list].firstIndex { slots[$0].createdOrder > slots[slot].createdOrder }
        self[keyPath: list].insert(slot, at: place ?? self[keyPath: list].count)
    }

    /// Nearly always at the end: whoever was held last is last. A refused resume goes back to where it was.
    private mutating func fileDisplaced(_ slot: Int, _ old: Standing, _ new: Standing) {
        if old.marks.contains(.displaced) { displacedLinks.remove(slot, from: &displaced) }
        guard new.marks.contains(.displaced) else { return }
        var place = displaced.lastSlot
        while let other = place, slots[other].standing.heldOrder > new.heldOrder {
            place = displacedLinks.slot(before: other)
        }
        displacedLinks.insert(slot, into: &displaced, after: place)
    }

    private mutating func fileOnLine(_ slot: Int, _ new: Standing) {
        let place = line.firstIndex { $0.slot == slot }
        guard new.marks.contains(.hasLine), let id = slots.span[slot].call?.id else {
            if let place { line.remove(at: place) }
            return
        }
        let entry = LineCall(
            slot: slot, id: id, tally: slots[slot].tally, createdOrder: slots[slot].createdOrder, standing: new)
        if let place {
            if line[place].standing.joinedOrder == new.joinedOrder {
                line[place] = entry
                return
            }
            line.remove(at: place)
        }
        line.insert(entry, at: line.firstIndex { entry.precedes($0) } ?? line.count)
    }
}

extension Standing {
    /// Nobody's answer depends on it.
    fileprivate var isRingingOrGone: Bool { marks.contains(.ringing) || !marks.contains(.live) }
}
