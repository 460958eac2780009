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
        if !dirtyTallies.isEmpty { dirtyTallies.removeAll(keepingCapacity: true) }
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

    mutating func announceDirty(urgent: AnswerOptions, into effects: inout Effects) {
        if dirty.count > 1 { dirty.sort { slots[$0].createdOrder < slots[$1].createdOrder } }
        for index in dirty.indices {
            let slot = dirty[index]
            slots[slot].isDirty = false
            if slots[slot].isRetired { continue }
            let derived = derived(slot, urgent)
            slots[slot].call?.change { $0.take(derived) }
            guard let call = self[slot: slot] else { continue }
            let announced = (shown: call.shown, facts: call.facts)
            if let old = slots[slot].shown {
                var changes = old == announced.shown ? [] : CallChanges(from: old, to: announced.shown)
                if let old = slots.span[slot].shownFacts, old !== announced.facts {
                    changes.formUnion(CallChanges(from: old, to: announced.facts))
                }
                if changes.isEmpty { continue }
                effects.append(.callChanged(call, changes))
            } else {
                effects.append(.callAdded(call))
            }
            slots[slot].shown = announced.shown
            slots[slot].shownFacts = announced.facts
            slots[slot].isRetired = announced.shown.state == .ended
        }
        if !dirty.isEmpty { dirty.removeAll(keepingCapacity: true) }
    }

    /// What follows from the call's own standing and from all the others.
    private func derived(_ slot: Int, _ urgent: AnswerOptions) -> Derived {
        let standing = slots.span[slot].standing
        let marks = standing.marks
        let tally = slots.span[slot].tally
        var derived = Derived()
        switch standing.state {
        case .ending, .ended: return derived
        case .ringing:
            derived.options = marks.contains(.emergency) ? urgent.union(.decline) : tallies.span[tally].answerOptions
            // One audible ringer; call waiting while the line is busy, and for whoever rings second.
            derived.ringMode = !marks.contains(.loud) ? .silent : slot == ringer ? .audible : .waiting
            if !derived.options.isSubset(of: .decline) { derived.can = .answer }
        case .starting, .started, .connecting, .answering, .holding, .resuming: derived.can = .mute
        case .active:
            derived.can = .mute
            if isHoldable(standing) { derived.can.insert(.hold) }
            if marks.contains(.takesDTMF) { derived.can.insert(.dtmf) }
        case .held: derived.can = [.mute, .resume]
        }
        derived.can.insert(.end)
        guard marks.contains(.talking) else { return derived }
        if tallies.span[tally].limits.translates { derived.can.insert(.translate) }
        if standing.group != nil, marks.contains(.ungroupable) { derived.can.insert(.ungroup) }
        if marks.contains(.groupable), tallies.span[tally].openUnits > (openUnit(slot) == nil ? 0 : 1) {
            derived.can.insert(.group)
        }
        return derived
    }

    /// A group is held as a whole.
    private func isHoldable(_ standing: Standing) -> Bool {
        guard let group = standing.group, let members = groups[group]?.members else {
            return standing.marks.contains(.holdable)
        }
        for member in members where !slots.span[member].standing.marks.contains(.holdable) { return false }
        return true
    }
}

/// The properties of a call that depend on other calls.
private struct Derived {
    var can: Capabilities = []
    var options: AnswerOptions = []
    var ringMode: RingMode?
}

extension Call {
    fileprivate mutating func take(_ derived: Derived) {
        can = derived.can
        answerOptions = derived.options
        ringMode = derived.ringMode
    }
}
