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
            guard let id = slots.span[slot].call?.id else { continue }
            derive(slot, urgent)
            guard let now = slots.span[slot].call?.shown else { continue }
            if let old = slots[slot].shown {
                var changes = old == now ? [] : CallChanges(from: old, to: now)
                if isSomeoneElse(slot) { changes.insert(.identity) }
                if changes.isEmpty { continue }
                effects.append(.callChanged(id, changes))
            } else {
                effects.append(.callAdded(id))
            }
            slots[slot].shown = now
            slots[slot].shownFacts = slots.span[slot].call?.facts
            slots[slot].isRetired = now.state == .ended
        }
        dirty.removeAll(keepingCapacity: true)
    }

    private func isSomeoneElse(_ slot: Int) -> Bool {
        guard let old = slots.span[slot].shownFacts, let new = slots.span[slot].call?.facts, old !== new else {
            return false
        }
        return !old.isSamePerson(as: new)
    }

    /// Works out what follows from the call's own standing and from all the others.
    private mutating func derive(_ slot: Int, _ urgent: AnswerOptions) {
        let marks = slots[slot].standing.marks
        var options: AnswerOptions = []
        var ringMode: RingMode?
        if marks.contains(.ringing) {
            let tally = slots[slot].tally
            options = marks.contains(.emergency) ? urgent.union(.decline) : tallies[tally].answerOptions
            // One audible ringer; call waiting while the line is busy, and for whoever rings second.
            ringMode = !marks.contains(.loud) ? .silent : slot == ringer ? .audible : .waiting
        }
        let can = capabilities(slot, slots[slot].standing, options)
        slots[slot].call?.setDerived(can, options, ringMode)
    }

    private func capabilities(_ slot: Int, _ standing: Standing, _ options: AnswerOptions) -> Capabilities {
        var can: Capabilities = .end
        switch standing.state {
        case .ending, .ended: return []
        case .ringing: if !options.isSubset(of: .decline) { can.insert(.answer) }
        case .starting, .started, .connecting, .answering, .holding, .resuming: can.insert(.mute)
        case .active:
            can.formUnion([.mute, grouping(slot, standing)])
            if canBeHeld(standing) { can.insert(.hold) }
            if standing.marks.contains(.takesDTMF) { can.insert(.dtmf) }
        case .held: can.formUnion([.mute, .resume, grouping(slot, standing)])
        }
        return can
    }

    /// A group is held as a whole.
    private func canBeHeld(_ standing: Standing) -> Bool {
        guard let group = standing.group, let members = groups[group]?.members else {
            return standing.marks.contains(.holdable)
        }
        for member in members where !slots[member].standing.marks.contains(.holdable) { return false }
        return true
    }

    private func grouping(_ slot: Int, _ standing: Standing) -> Capabilities {
        var can: Capabilities = standing.group != nil && standing.marks.contains(.ungroupable) ? .ungroup : []
        guard standing.marks.contains(.groupable) else { return can }
        let open = tallies[slots[slot].tally].openUnits - (openUnit(slot) == nil ? 0 : 1)
        if open > 0 { can.insert(.group) }
        return can
    }
}

extension Call {
    fileprivate mutating func setDerived(_ can: Capabilities, _ options: AnswerOptions, _ ringMode: RingMode?) {
        self.can = can
        answerOptions = options
        self.ringMode = ringMode
    }
}
