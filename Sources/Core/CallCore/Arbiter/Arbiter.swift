// Who has the line: the decision table of docs/arbitration.md as one pure function.
//
// The line is the one place where people talk. At most one call, or one group, has it. A newcomer gets it only after
// those who have it were confirmed held or ended; this file says in which way each of them gives it up, or why not.

import CallModel

enum Arbiter {
    /// What the table says of all calls in the way together.
    struct Verdict: Sendable, Hashable {
        /// They are held, else ended.
        var holds = true
        var othersAreHeld = false
        /// The policy ends those that are held already.
        var endsHeld = false
    }

    /// The deeds that clear the line for `newcomer`, in order; empty when it is free.
    ///
    /// - Parameter policy: what the rows that are a matter of taste say.
    /// - Throws: the refusal that the table states.
    static func clearances(
        for newcomer: Newcomer, among calls: CallTable, under policy: Policy
    ) throws(Refusal) -> [Clearance] {
        let obstacles = calls.line(without: newcomer.members)
        let verdict = try verdict(on: obstacles, for: newcomer, among: calls, under: policy)
        let deeds = obstacles.map { clearance(of: $0, for: newcomer, verdict) }
        if newcomer.isEmergency { return ringing(calls).map { .end($0.id, rule: 19) } + deeds }
        guard verdict.endsHeld else { return deeds }
        return held(calls, besides: obstacles, newcomer).map { .end($0.id, rule: 8) } + deeds
    }

    /// - Parameter obstacles: the calls that have the line, without the newcomer's own.
    static func verdict(
        on obstacles: [LineCall], for newcomer: Newcomer, among calls: CallTable, under policy: Policy
    ) throws(Refusal) -> Verdict {
        // Rule 19, the other way round: nobody displaces an emergency call, not even another one.
        if calls.hasEmergency(besides: newcomer.members) { throw .emergency }
        if newcomer.isEmergency { return Verdict() }
        // Rule 3: a dialing call cannot be held.
        if obstacles.contains(where: \.isDialing), newcomer.purpose != .answer || newcomer.conflict != .end {
            throw .dialing
        }
        try refuseForLimit(calls, obstacles, newcomer)
        let holds = try refuseForUnholdable(obstacles, newcomer, policy)
        guard holds, !obstacles.isEmpty else { return Verdict(holds: holds) }
        let othersAreHeld = calls.holdsOthers(than: newcomer.members, and: obstacles)
        if othersAreHeld, policy.heldCalls == .oneOrRefuse { throw .heldCalls }
        return Verdict(
            holds: true, othersAreHeld: othersAreHeld, endsHeld: othersAreHeld && policy.heldCalls == .oneOrEnd)
    }

    /// What one call in the way does.
    static func clearance(of call: LineCall, for newcomer: Newcomer, _ verdict: Verdict) -> Clearance {
        if newcomer.isEmergency { return emergencyClearance(of: call) }
        switch call.state {
        case .holding, .resuming, .answering, .ending: return .wait(call.id)
        case .starting, .started, .connecting: return .end(call.id, rule: newcomer.endRule)
        case .active, .ringing, .held, .ended:
            guard verdict.holds, call.isHoldable else { return .end(call.id, rule: newcomer.endRule) }
            return .hold(call.id, rule: newcomer.holdRule(othersHeld: verdict.othersAreHeld))
        }
    }

    /// Rule 19: dialing calls end (and ringing ones, which are not on the line); active ones are held, or else end.
    private static func emergencyClearance(of call: LineCall) -> Clearance {
        switch call.state {
        case .holding, .resuming, .ending: .wait(call.id)
        case .active where call.isHoldable && !call.refusedEmergency: .hold(call.id, rule: 19)
        case .active, .starting, .started, .connecting, .answering, .ringing, .held, .ended: .end(call.id, rule: 19)
        }
    }

    /// Rule 4. Lone calls count as groups; ringing calls do not count; calls that are about to end make room.
    private static func refuseForLimit(
        _ calls: CallTable, _ obstacles: [LineCall], _ newcomer: Newcomer
    ) throws(Refusal) {
        guard let provider = newcomer.provider, newcomer.purpose == .start || newcomer.purpose == .answer else {
            return
        }
        let leaving = newcomer.conflict == .end ? obstacles : []
        let groups = calls.groupCount(of: provider, without: newcomer.members, leaving: leaving)
        if groups >= Int(newcomer.maximumCallGroups) { throw .callGroups(of: provider) }
    }

    /// Rules 2 and 7. Returns whether the calls in the way are to be held (else ended).
    private static func refuseForUnholdable(
        _ obstacles: [LineCall], _ newcomer: Newcomer, _ policy: Policy
    ) throws(Refusal) -> Bool {
        guard obstacles.contains(where: isTalking) else { return newcomer.conflict != .end }
        switch newcomer.conflict {
        case .end: return false
        case .fail: throw .conflictFails
        case .hold:
            guard obstacles.contains(where: isUnholdable) else { return true }
            guard newcomer.purpose == .answer, policy.unholdable == .ends else { throw .unholdable }
            // The others of its group are held.
            return obstacles.contains { isTalking($0) && $0.isHoldable }
        }
    }

    static func isTalking(_ call: LineCall) -> Bool { call.state != .ending && !call.isDialing }
    static func isUnholdable(_ call: LineCall) -> Bool { isTalking(call) && !call.isHoldable }

    /// Rule 19: the calls that ring and are no emergency calls, oldest first.
    private static func ringing(_ calls: CallTable) -> [Call] {
        calls.ringingCount == 0 ? [] : calls.live.filter { $0.state == .ringing && !$0.emergency }
    }

    /// The calls that wait already, oldest first: without the newcomer, and without those who wait with a call in the way.
    static func held(_ calls: CallTable, besides obstacles: [LineCall], _ newcomer: Newcomer) -> [Call] {
        calls.live.filter { call in
            call.state == .held && !newcomer.members.contains(call)
                && (call.group == nil || !obstacles.contains { $0.group == call.group })
        }
    }
}
