// The derived properties of the calls that were touched, and what their observers are told.

import CallModel

extension CallTable {
    // MARK: What is touched for the sake of others

    /// One call rings aloud, while nobody has the line.
    mutating func reviewRinger() {
        let now = line.isEmpty ? loud.firstSlot : nil
        guard now != ringer else { return }
        if let ringer { touch(ringer) }
        if let now { touch(now) }
        ringer = now
    }

    mutating func touchAllTallies() {
        for tally in tallies.indices { touchTally(tally) }
    }

    mutating func touchTally(_ tally: Int) {
        guard !tallies[tally].isDirty else { return }
        tallies[tally].isDirty = true
        dirtyTallies.append(tally)
    }

    mutating func reviewTallies(_ lineOptions: LineOptions) {
        for tally in dirtyTallies {
            tallies[tally].isDirty = false
            if !tallies[tally].ringing.isEmpty {
                let options = answerOptions(of: tally, lineOptions)
                if options != tallies[tally].answerOptions {
                    tallies[tally].answerOptions = options
                    for slot in tallyLinks.slots(of: tallies[tally].ringing) { touch(slot) }
                }
            }
            let partners = tallies[tally].partners
            if partners != tallies[tally].publishedPartners {
                tallies[tally].publishedPartners = partners
                for slot in tallyLinks.slots(of: tallies[tally].talking) { touch(slot) }
            }
        }
        dirtyTallies.removeAll(keepingCapacity: true)
    }

    /// The ways to answer a provider's ringing calls that are no emergency calls.
    func answerOptions(of tally: Int, _ lineOptions: LineOptions) -> AnswerOptions {
        let maximum = Int(tallies[tally].limits.groups)
        var options: AnswerOptions = .decline
        if groupCount(of: tally, without: Party(), leaving: []) < maximum { options.formUnion(lineOptions.plain) }
        if groupCount(of: tally, without: Party(), leaving: line) < maximum { options.formUnion(lineOptions.ending) }
        return options
    }

    // MARK: Derived properties

    mutating func announceDirty(urgent: AnswerOptions, into effects: inout [Effect]) {
        if dirty.count > 1 { dirty.sort { slots[$0].createdOrder < slots[$1].createdOrder } }
        for slot in dirty {
            slots[slot].isDirty = false
            if slots[slot].isRetired { continue }
            guard var call = slots[slot].call.take() else { continue }
            derive(&call, slot, urgent)
            if let old = slots[slot].published {
                let changes = CallChanges(from: old, to: call)
                if !changes.isEmpty { effects.append(.callChanged(call.id, changes)) }
                if !changes.isEmpty { slots[slot].published = PublishedCall(call) }
            } else {
                effects.append(.callAdded(call.id))
                slots[slot].published = PublishedCall(call)
            }
            slots[slot].isRetired = call.state == .ended
            slots[slot].call = call
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Works out what follows from the call's own state and from all the others.
    func derive(_ call: inout Call, _ slot: Int, _ urgent: AnswerOptions) {
        call.ringMode = ringMode(of: call, slot)
        call.answerOptions = []
        if call.state == .ringing {
            call.answerOptions =
                call.emergency ? urgent.union(.decline) : tallies[slots[slot].tally].answerOptions
        }
        call.can = capabilities(of: call, slot)
    }

    /// One audible ringer; call waiting while the line is busy, and for whoever rings second.
    private func ringMode(of call: Call, _ slot: Int) -> RingMode? {
        guard call.state == .ringing else { return nil }
        if call.silenced { return .silent }
        return slot == ringer ? .audible : .waiting
    }

    private func capabilities(of call: Call, _ slot: Int) -> Capabilities {
        var can: Capabilities = .end
        switch call.state {
        case .ending, .ended: return []
        case .ringing: if !call.answerOptions.isSubset(of: .decline) { can.insert(.answer) }
        case .starting, .started, .connecting, .answering, .holding, .resuming: can.insert(.mute)
        case .active:
            can.insert(.mute)
            if canBeHeld(call, slot) { can.insert(.hold) }
            if call.supportsDTMF { can.insert(.dtmf) }
            can.formUnion(grouping(of: call, slot))
        case .held: can.formUnion([.mute, .resume, grouping(of: call, slot)])
        }
        return can
    }

    /// A group is held as a whole.
    private func canBeHeld(_ call: Call, _ slot: Int) -> Bool {
        guard let group = call.group, let members = groups[group]?.members else { return call.isHoldable }
        return members.allSatisfy { slots[$0].standing.marks.contains(.holdable) }
    }

    private func grouping(of call: Call, _ slot: Int) -> Capabilities {
        var can: Capabilities = []
        if call.group != nil, call.supportsUngrouping { can.insert(.ungroup) }
        guard call.supportsGrouping, !call.emergency else { return can }
        let open = tallies[slots[slot].tally].openUnits - (openUnit(slot) == nil ? 0 : 1)
        if open > 0 { can.insert(.group) }
        return can
    }
}
