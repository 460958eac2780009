// All calls: those that live, in order of creation, and those that have ended and are still shown.

public import CallModel

/// Every call with the causes of its state, and as it was last announced.
public struct CallTable: Sendable {
    /// The calls that have not ended, the oldest first.
    public private(set) var live: [Call] = []
    /// The calls that have ended, until they are removed.
    public private(set) var ended: [CallID: Call] = [:]
    /// Why each call is in its state, the oldest cause first.
    private var causes: [CallID: [Cause]] = [:]
    /// Each call as it was last announced.
    private var announced: [CallID: Call] = [:]
    /// The calls that were touched since then.
    private var touched: Set<CallID> = []
    private var usedIDs = UsedIDs()
    private var latestOrder: UInt64 = 0
    private var latestGroup: UInt64 = 0

    public var count: Int { live.count + ended.count }

    /// All calls, ended ones included, in any order.
    public var values: [Call] { live + ended.values }

    public subscript(id: CallID) -> Call? { live.indices.first { live[$0].id == id }.map { live[$0] } ?? ended[id] }

    /// The live calls that fit, the oldest first.
    func live(where fits: (Call) -> Bool) -> [Call] { live.indices.filter { fits(live[$0]) }.map { live[$0] } }

    /// The identifiers of the live calls that fit, the oldest first.
    func ids(where fits: (Call) -> Bool) -> [CallID] { live.indices.filter { fits(live[$0]) }.map { live[$0].id } }

    /// Whether there is a live call that fits.
    func contains(where fits: (Call) -> Bool) -> Bool { live.indices.contains { fits(live[$0]) } }

    /// Whether there was ever a call of this identifier.
    func knew(_ id: CallID) -> Bool { usedIDs.contains(id) }

    /// Marks an identifier as used without a call, for a call that was kept from ringing.
    mutating func markUsed(_ id: CallID) { usedIDs.insert(id) }

    mutating func insert(_ call: Call) {
        var call = call
        call.createdOrder = nextOrder()
        usedIDs.insert(call.id)
        touched.insert(call.id)
        live.append(call)
    }

    /// Whether a call has changed since the last announcement.
    var haveChanged: Bool { !touched.isEmpty }

    mutating func remove(_ id: CallID) {
        ended[id] = nil
        causes[id] = nil
        announced[id] = nil
    }

    /// Changes a live call. If it ends, it moves to the ended calls.
    mutating func update(_ id: CallID, _ change: (inout Call) -> Void) {
        guard let index = live.indices.first(where: { live[$0].id == id }) else { return }
        touched.insert(id)
        change(&live[index])
        guard live[index].state == .ended else { return }
        live[index].abilities = Abilities()
        ended[id] = live.remove(at: index)
    }

    /// Takes over what was worked out for each live call, in their order.
    mutating func take(_ abilities: [Abilities]) {
        for index in live.indices where live[index].abilities != abilities[index] {
            live[index].abilities = abilities[index]
            touched.insert(live[index].id)
        }
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

    // MARK: Causes

    /// Why a call is in its state, oldest first; empty for a call that is not there.
    func causes(of id: CallID) -> [Cause] { causes[id] ?? [] }

    /// The causes of all calls' states.
    var allCauses: some Sequence<Cause> { causes.values.joined() }

    /// Adds a cause to a call's chain, of which the last `limit` are kept.
    mutating func explain(_ id: CallID, _ cause: Cause, at now: Instant, limit: Int) {
        guard let call = self[id] else { return }
        var cause = cause
        cause.at = now
        cause.state = call.state
        cause.endReason = call.endReason
        causes[id, default: []].append(cause)
        if causes[id, default: []].count > limit { causes[id]?.removeFirst() }
    }

    // MARK: Announcements

    /// Returns the changes since the last announcement, the oldest call first.
    mutating func takeAnnouncements() -> [Effect] {
        let calls = touched.compactMap { self[$0] }.sorted { $0.createdOrder < $1.createdOrder }
        touched = []
        return calls.compactMap { call in
            guard let old = announced.updateValue(call, forKey: call.id) else { return .callAdded(call) }
            let changes = CallChanges(from: old, to: call)
            return changes.isEmpty ? nil : .callChanged(call, changes)
        }
    }
}
