// All calls: those that live, in order of creation, and those that have ended and are still shown.

public import CallModel

/// Every call with the causes of its state, and as it was last announced.
public struct CallTable: Sendable {
    private struct Entry: Sendable {
        var call: Call
        /// The call as it was last announced.
        var announced: Call?
        /// Why the call is in its state, the oldest cause first.
        var causes: [Cause] = []
        /// Whether it was touched since observers were told.
        var isTouched = true

        /// Its place among the announcements, so that observers never see two calls off hold that are in no group together:
        /// a call that takes the line comes after those that give it up, and one that leaves its group after the others.
        var announcementOrder: (Int, UInt64) {
            guard call.standing.isOffHold else { return (0, call.createdOrder) }
            let leavesGroup = announced?.group != nil && announced?.group != call.group
            return (announced?.standing.isOffHold != true ? 2 : leavesGroup ? 1 : 0, call.createdOrder)
        }

        /// What observers are to be told of the call, if anything.
        mutating func takeAnnouncement() -> Effect? {
            isTouched = false
            let changes = announced.map { CallChanges(from: $0, to: call) }
            if changes?.isEmpty == true { return nil }
            announced = call
            return changes.map { .callChanged(call, $0) } ?? .callAdded(call)
        }
    }

    /// The calls that have not ended, the oldest first.
    private var liveEntries: [Entry] = []
    /// The calls that have ended, until they are removed.
    private var endedEntries: [CallID: Entry] = [:]
    /// Whether a call has changed since the last announcement.
    private(set) var haveChanged = false
    /// The calls that have ended since observers were told.
    private var justEnded: [CallID] = []
    private var usedIDs = UsedIDs()
    private var latestOrder: UInt64 = 0
    private var latestGroup: UInt64 = 0

    /// The calls that have not ended, the oldest first.
    public var live: [Call] { liveEntries.map(\.call) }
    /// The calls that have ended, in no order that means anything.
    public var ended: [Call] { endedEntries.values.map(\.call) }
    /// All calls, ended ones included, in any order.
    public var values: [Call] { live + ended }

    public var liveCount: Int { liveEntries.count }
    public var count: Int { liveEntries.count + endedEntries.count }

    public subscript(id: CallID) -> Call? {
        index(of: id).map { liveEntries[$0].call } ?? endedEntries[id]?.call
    }

    /// Where a call stands; nil if there is no such call.
    func standing(of id: CallID) -> CallStanding? {
        index(of: id).map(standing) ?? endedEntries[id]?.call.standing
    }

    private func index(of id: CallID) -> Int? { liveEntries.indices.first { standing($0).id == id } }

    private func standing(_ index: Int) -> CallStanding { liveEntries[index].call.standing }

    /// Where the live calls stand, the oldest first.
    var standings: [CallStanding] { liveEntries.indices.map(standing) }

    /// Whether there was ever a call of this identifier.
    func knew(_ id: CallID) -> Bool { usedIDs.contains(id) }

    /// Marks an identifier as used without a call, for a call that was kept from ringing.
    mutating func markUsed(_ id: CallID) { usedIDs.insert(id) }

    mutating func insert(_ call: Call) {
        var call = call
        call.createdOrder = nextOrder()
        usedIDs.insert(call.id)
        liveEntries.append(Entry(call: call))
        haveChanged = true
    }

    mutating func removeEnded(_ id: CallID) { endedEntries[id] = nil }

    /// Changes a live call. If it ends, it moves to the ended calls.
    mutating func update(_ id: CallID, _ change: (inout Call) -> Void) {
        guard let index = index(of: id) else { return }
        touch(index)
        change(&liveEntries[index].call)
        guard standing(index).state == .ended else { return }
        liveEntries[index].call.abilities = Abilities()
        endedEntries[id] = liveEntries.remove(at: index)
        justEnded.append(id)
    }

    /// Takes over what was worked out for each live call, in their order.
    mutating func take(_ abilities: [Abilities]) {
        for (index, abilities) in abilities.enumerated() where liveEntries[index].call.abilities != abilities {
            liveEntries[index].call.abilities = abilities
            touch(index)
        }
    }

    private mutating func touch(_ index: Int) {
        liveEntries[index].isTouched = true
        haveChanged = true
    }

    /// Returns a number larger than all earlier ones, for ordering calls.
    mutating func nextOrder() -> UInt64 {
        latestOrder += 1
        return latestOrder
    }

    /// Puts a call into the group of another, which is made if there is none.
    mutating func group(_ id: CallID, with other: CallID) {
        if self[other]?.group == nil {
            latestGroup += 1
            join(other, GroupID(number: latestGroup))
        }
        if let group = self[other]?.group { join(id, group) }
    }

    private mutating func join(_ id: CallID, _ group: GroupID) {
        let order = nextOrder()
        update(id) {
            $0.group = group
            $0.joinedOrder = order
        }
    }

    private mutating func updateEntry<Result>(of id: CallID, _ change: (inout Entry) -> Result) -> Result? {
        if let index = index(of: id) { return change(&liveEntries[index]) }
        guard var entry = endedEntries[id] else { return nil }
        defer { endedEntries[id] = entry }
        return change(&entry)
    }

    // MARK: Causes

    /// Why a call is in its state, oldest first; empty for a call that is not there.
    func causes(of id: CallID) -> [Cause] {
        index(of: id).map { liveEntries[$0].causes } ?? endedEntries[id]?.causes ?? []
    }

    /// The causes of all calls' states.
    var allCauses: [Cause] { (liveEntries + endedEntries.values).flatMap(\.causes) }

    /// Adds a cause to a call's chain, of which the last `limit` are kept.
    mutating func explain(_ id: CallID, _ cause: Cause, at now: Instant, limit: Int) {
        _ = updateEntry(of: id) { entry in
            var cause = cause
            cause.at = now
            cause.state = entry.call.state
            cause.endReason = entry.call.endReason
            entry.causes.append(cause)
            if entry.causes.count > limit { entry.causes.removeFirst() }
        }
    }

    // MARK: Announcements

    /// Tells observers of the calls that have changed since they were told last, as a rule the oldest call first.
    mutating func announce(_ effects: inout Outbox) {
        let touched = liveEntries.indices.filter { liveEntries[$0].isTouched }
        var changed = touched.map { (liveEntries[$0].announcementOrder, standing($0).id) }
        changed += justEnded.compactMap { id in endedEntries[id].map { ($0.announcementOrder, id) } }
        changed.sort { $0.0 < $1.0 }
        (haveChanged, justEnded) = (false, [])
        for (_, id) in changed {
            if let announcement = updateEntry(of: id, { $0.takeAnnouncement() }) ?? nil {
                effects.append(announcement)
            }
        }
    }
}
