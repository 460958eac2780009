// Queries about all calls at once, for the arbiter and the machine.

import CallModel

/// Calls that want the line together: one call, two calls that are to be grouped, or the members of a group.
struct Party: Sendable, Hashable {
    var one: CallID?
    var other: CallID?
    var group: GroupID?

    func contains(_ call: Call) -> Bool {
        call.id == one || call.id == other || (group != nil && group == call.group)
    }
}

extension CallTable {
    /// The calls that have the line, the members of a group in the order in which they joined.
    var line: [Call] { line(without: Party()) }

    /// The same without those of `party`.
    func line(without party: Party) -> [Call] {
        live { $0.hasLine && !party.contains($0) }.sorted { $0.joinedBefore($1) }
    }

    /// The members of a call's group in the order in which they joined; the call alone if it has none.
    func members(with id: CallID) -> [Call] {
        guard let call = self[id] else { return [] }
        guard let group = call.group else { return [call] }
        return live { $0.group == group }.sorted { $0.joinedBefore($1) }
    }

    /// The emergency calls that neither ring nor end and are not of `party`.
    func emergencies(besides party: Party = Party()) -> [Call] {
        live { $0.emergency && $0.state != .ringing && $0.state != .ending && !party.contains($0) }
    }

    var ringing: [Call] { live { $0.state == .ringing } }

    /// The call that the arbiter held last.
    var lastDisplaced: Call? {
        live { $0.state == .held && $0.heldBy == .arbiter }.max { $0.heldOrder < $1.heldOrder }
    }

    /// Rule 4: the calls of a provider that count as its call groups or towards them, without `party` and `leaving`.
    func counted(of provider: ProviderID, without party: Party, leaving: [Call]) -> [Call] {
        live { $0.counts(for: provider, without: party, leaving: leaving) }
    }

    /// The number of call groups that those calls make, lone calls included.
    func groupCount(of provider: ProviderID, without party: Party, leaving: [Call]) -> Int {
        let counted = live.indices.filter { live[$0].counts(for: provider, without: party, leaving: leaving) }
        return counted.count { live[$0].group == nil } + Set(counted.compactMap { live[$0].group }).count
    }
}

extension Call {
    fileprivate func counts(for owner: ProviderID, without party: Party, leaving: [Call]) -> Bool {
        countsAsGroup && provider == owner && !party.contains(self) && !leaving.contains { $0.id == id }
    }

    fileprivate func joinedBefore(_ other: Call) -> Bool {
        (joinedOrder, createdOrder) < (other.joinedOrder, other.createdOrder)
    }
}
