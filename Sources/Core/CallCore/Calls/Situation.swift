// The live calls at one moment, grouped by their states, as the rules read them.

import CallModel

/// Calls that want the line together: one, or two that are to be grouped, and the members of a group.
struct Party: Sendable, Hashable {
    var one: CallID?
    var other: CallID?
    var group: GroupID?

    func contains(_ call: CallStanding) -> Bool {
        call.id == one || call.id == other || (group != nil && group == call.group)
    }
}

/// Where all live calls stand. Each list has the oldest call first if it does not say otherwise.
struct Situation: Sendable {
    let calls: [CallStanding]
    /// The calls that have the line, the members of a group in the order in which they joined.
    private(set) var line: [CallStanding] = []
    private(set) var ringing: [CallStanding] = []
    /// The calls that count as call groups of their providers, or towards them (rule 4).
    private(set) var counted: [CallStanding] = []

    init(_ calls: [CallStanding]) {
        self.calls = calls
        for call in calls {
            if call.hasLine { line.append(call) }
            if call.state == .ringing { ringing.append(call) }
            if call.countsAsGroup { counted.append(call) }
        }
        line.sort { $0.joinedBefore($1) }
    }

    var held: [CallStanding] { calls.filter { $0.state == .held } }

    /// The calls that have the line, without those of `party`.
    func line(without party: Party) -> [CallStanding] { line.filter { !party.contains($0) } }

    /// The emergency calls that neither ring nor end and are not of `party`.
    func emergencies(besides party: Party = Party()) -> [CallStanding] {
        counted.filter { $0.emergency && !party.contains($0) }
    }

    /// The held call that a provider with the hold model `swap` resumes when it holds `call`; nil if there is none.
    func partner(of call: CallStanding) -> CallStanding? {
        guard call.swaps else { return nil }
        return held.first { $0.provider == call.provider && ($0.group == nil || $0.group != call.group) }
    }

    /// Whether a call can give up the line to `newcomers`: holding it must not resume another call.
    func canBeHeld(_ call: CallStanding, for newcomers: Party) -> Bool {
        call.isHoldable && partner(of: call).map { newcomers.contains($0) } ?? true
    }

    /// The call that the arbiter held last.
    var lastDisplaced: CallStanding? {
        held.filter { $0.heldBy == .arbiter }.max { $0.heldOrder < $1.heldOrder }
    }

    /// Rule 4: the calls of a provider that count as its call groups or towards them, without `party` and `leaving`.
    func counted(of provider: ProviderID, without party: Party, leaving: [CallStanding]) -> [CallStanding] {
        counted.filter { $0.isOf(provider, without: party, leaving: leaving) }
    }

    /// The number of call groups that those calls make, lone calls included.
    func groupCount(of provider: ProviderID, without party: Party = Party(), leaving: [CallStanding]) -> Int {
        var loneCalls = 0
        var groups: Set<GroupID> = []
        for call in counted where call.isOf(provider, without: party, leaving: leaving) {
            if let group = call.group { groups.insert(group) } else { loneCalls += 1 }
        }
        return loneCalls + groups.count
    }
}

extension CallTable {
    var situation: Situation { Situation(standings) }

    /// The members of a call's group in the order in which they joined; the call alone if it has none.
    func members(with id: CallID) -> [CallStanding] {
        guard let call = standing(of: id) else { return [] }
        guard let group = call.group else { return [call] }
        return standings.filter { $0.group == group }.sorted { $0.joinedBefore($1) }
    }
}

extension CallStanding {
    fileprivate func isOf(_ owner: ProviderID, without party: Party, leaving: [CallStanding]) -> Bool {
        provider == owner && !party.contains(self) && !leaving.contains { $0.id == id }
    }

    fileprivate func joinedBefore(_ other: CallStanding) -> Bool {
        (joinedOrder, createdOrder) < (other.joinedOrder, other.createdOrder)
    }
}
