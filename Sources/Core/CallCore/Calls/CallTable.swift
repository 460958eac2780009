// All calls: those that live, in order of creation, and those that have ended and are still shown.

public import CallModel

/// Every call with the causes of its state, and as it was last announced.
public struct CallTable: Sendable {
    private struct Entry: Sendable {
        var call: Call
        /// The call as it was last announced, and where it stood then.
        var announced: (call: PublishedCall, standing: CallStanding)?
        /// Why the call is in its state, the oldest cause first.
        var causes: [Cause] = []
        /// Whether it was touched since observers were told.
        var isTouched = true

        /// Its place among the announcements, so that observers never see two calls off hold that are in no group together:
        /// a call that takes the line comes after those that give it up, and one that leaves its group after the others.
        var announcementOrder: (Int, UInt64) {
            guard call.standing.isOffHold else { return (0, call.createdOrder) }
            let leavesGroup = announced?.standing.group != nil && announced?.standing.group != call.group
            return (announced?.standing.isOffHold != true ? 2 : leavesGroup ? 1 : 0, call.createdOrder)
        }

        /// What observers are to be told of the call, if anything.
        mutating func popAnnouncement() -> Effect? {
            isTouched = false
            let published = call.published
            let changes = announced.map { CallChanges(from: $0.call, to: published) }
            if changes?.isEmpty == true { return nil }
            announced = (published, call.standing)
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
    /// How many causes each call keeps.
    private let causesPerCall: Int
    private var latestOrder: UInt64 = 0
    private var latestGroup: UInt64 = 0

    init(causesPerCall: Int) { self.causesPerCall = causesPerCall }

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

    /// Adds a call. Without a date of its own it starts now.
    mutating func add(_ call: Call, cause: Cause, at now: Instant) {
        var call = call
        if call.startedAt == 0 { call.startedAt = now.date }
        call.createdOrder = nextOrder()
        usedIDs.insert(call.id)
        liveEntries.append(Entry(call: call))
        haveChanged = true
        explain(call.id, cause, at: now)
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

    /// Applies what was worked out for each live call, in their order.
    mutating func apply(_ abilities: [Abilities]) {
        for (index, abilities) in abilities.enumerated() where liveEntries[index].call.abilities != abilities {
            liveEntries[index].call.abilities = abilities
            touch(index)
        }
    }

    private mutating func touch(_ index: Int) {
        liveEntries[index].isTouched = true
        haveChanged = true
    }

    private mutating func updateEntry<Result>(of id: CallID, _ change: (inout Entry) -> Result) -> Result? {
        if let index = index(of: id) { return change(&liveEntries[index]) }
        guard var entry = endedEntries[id] else { return nil }
        defer { endedEntries[id] = entry }
        return change(&entry)
    }

    // MARK: What happens to a call

    /// Applies an event to a call; ignores an event that is impossible in its state. While a call is ending, what
    /// happens to it moves the state that it had before: it may give up the line, or have been answered.
    mutating func move(_ id: CallID, _ event: CallEvent, cause: Cause, at now: Instant) {
        guard let call = standing(of: id) else { return }
        if call.state == .ending, event != .ended, let before = call.stateBeforeEnding?.next(after: event) {
            update(id) { $0.stateBeforeEnding = before }
        }
        guard let next = call.state.next(after: event) else { return }
        update(id) { changed in
            if event == .endPerformed { changed.stateBeforeEnding = call.state }
            changed.state = next
        }
        explain(id, cause, at: now)
    }

    /// Connects a call whose answer was fulfilled or whose connection was reported.
    mutating func connect(_ id: CallID, at date: WallTime, _ event: CallEvent, cause: Cause, now: Instant) {
        let moment = clamp(date, of: id, at: now)
        update(id) {
            $0.standing.connectedAt = moment
            $0.connectedAtMonotonic = now.uptime.microseconds
        }
        move(id, event, cause: cause, at: now)
    }

    /// Ends a call, which leaves its group.
    mutating func end(_ id: CallID, _ reason: EndReason, at date: WallTime, cause: Cause, now: Instant) {
        let heir = members(with: id).first { $0.id != id }?.id
        leaveGroup(id)
        for other in standings where other.heldFor == id { update(other.id) { $0.standing.heldFor = heir } }
        let moment = clamp(date, of: id, at: now)
        update(id) { call in
            call.endedAt = moment
            call.endReason = reason
            call.endedBy = cause.origin
            call.heldBy = nil
            call.waitingDigits = ""
        }
        move(id, .ended, cause: cause, at: now)
    }

    /// A user's hold of calls that are on hold already makes the hold the user's.
    mutating func claimHold(of group: [CallStanding], _ cause: Cause, at now: Instant) {
        for call in group where call.isOnHold && cause.heldBy(of: call.provider) == .user && call.heldBy != .user {
            update(call.id) { $0.heldBy = .user }
            explain(call.id, cause, at: now)
        }
    }

    /// Notes that a request names calls: "the user acted since".
    mutating func name(in request: Request, _ id: TransactionID) {
        for action in request.actions where action.kind != .start {
            update(action.call) { $0.namedBy = id }
            if case .setGroup(_, let other?) = action { update(other) { $0.namedBy = id } }
        }
    }

    mutating func silenceRinging() {
        for call in situation.ringing { update(call.id) { $0.isSilencedByUser = true } }
    }

    /// Gives the name of the far side of a call that no longer waits for it. Unknown calls are ignored, and so is what is
    /// told of a party who is not at the far side any more.
    mutating func name(_ id: CallID, _ caller: CallerFacts) {
        guard !caller.isUnanswered, let call = self[id], caller.isAbout(call.caller) else { return }
        update(id) { call in
            call.lookedUp = call.caller
            call.names.apply(caller)
            call.contactImage = caller.image
            if call.contactIdentifier.isEmpty, call.callerNameSource == .contacts {
                call.contactIdentifier = caller.contact
            }
        }
    }

    /// Dates from outside are kept between the call's latest date and now; 0 is now. Clocks may go back, calls do not.
    func clamp(_ date: WallTime, of id: CallID, at now: Instant) -> WallTime {
        guard let call = self[id] else { return now.date }
        return max(min(date == 0 ? now.date : date, now.date), call.startedAt, call.connectedAt)
    }

    // MARK: Groups

    /// Returns a number larger than all earlier ones, for ordering calls.
    mutating func nextOrder() -> UInt64 {
        latestOrder += 1
        return latestOrder
    }

    /// A call that is on hold is held by somebody, since now, and for the newcomer if that is still there.
    mutating func hold(_ id: CallID, _ cause: Cause) {
        guard let provider = standing(of: id)?.provider else { return }
        let order = nextOrder()
        let newcomer = cause.newcomer.flatMap(index).map { standing($0).id }
        update(id) {
            $0.standing.heldBy = cause.heldBy(of: provider)
            if $0.heldBy == .arbiter { $0.standing.heldFor = newcomer }
            $0.heldOrder = order
        }
    }

    /// Puts a call into the group of another, which is made if there is none.
    private mutating func group(_ id: CallID, with other: CallID) {
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

    /// Groups a call with another, or takes it out of its group: the others are on hold then.
    mutating func regroup(_ id: CallID, with other: CallID?, cause: Cause, at now: Instant) {
        guard standing(of: id) != nil else { return }
        let former = members(with: id).map(\.id).filter { $0 != id }
        leaveGroup(id)
        guard let other else {
            for member in former where standing(of: member)?.course == .active {
                var parted = cause.then(.parted, by: .arbiter(for: cause.requester))
                parted.newcomer = id
                hold(member, parted)
                move(member, .parted, cause: parted, at: now)
            }
            joinLine(id, cause: cause, at: now)
            return
        }
        group(id, with: other)
        for member in members(with: id) { joinLine(member.id, cause: cause, at: now) }
    }

    /// Resumes a call by its group action (rule 14).
    mutating func joinLine(_ id: CallID, cause: Cause, at now: Instant) {
        update(id) { $0.heldBy = nil }
        move(id, .joined, cause: cause, at: now)
    }

    /// Takes a call out of its group; the last member is a lone call again.
    mutating func leaveGroup(_ id: CallID) {
        guard standing(of: id)?.group != nil else { return }
        let others = members(with: id).filter { $0.id != id }
        update(id) { $0.group = nil }
        if others.count == 1, let last = others.first { update(last.id) { $0.group = nil } }
    }

    // MARK: Causes

    /// Why a call is in its state, oldest first; empty for a call that is not there.
    func causes(of id: CallID) -> [Cause] {
        index(of: id).map { liveEntries[$0].causes } ?? endedEntries[id]?.causes ?? []
    }

    /// The causes of all calls' states.
    var allCauses: [Cause] { (liveEntries + endedEntries.values).flatMap(\.causes) }

    /// Notes why a call is in its state.
    mutating func explain(_ id: CallID, _ cause: Cause, at now: Instant) {
        let limit = causesPerCall
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
            if let announcement = updateEntry(of: id, { $0.popAnnouncement() }) ?? nil {
                effects.append(announcement)
            }
        }
    }
}
