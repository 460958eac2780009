// Who has the line: the decision table of docs/arbitration.md as one pure function.
//
// At most one call, or one group, has the line: it is connected and not on hold. A newcomer gets it only after
// the calls that have it are confirmed held or ended. This file decides how each of them gives it up, or why not.

import CallModel

enum Arbiter {
    /// The actions that clear the line for `newcomer`, in order; empty when it is free.
    ///
    /// - Parameter policy: decides the rows that differ between policies.
    /// - Throws: the refusal that the table states.
    static func clearances(
        for newcomer: Newcomer, among calls: Situation, under policy: Policy
    ) throws(Refusal) -> [Clearance] {
        let obstacles = calls.line(without: newcomer.members)
        // Rule 19, the other way round: no call displaces an emergency call. Only a start displaces one that came in.
        let emergencies = calls.emergencies(besides: newcomer.members)
        let isStart = newcomer.isEmergency && newcomer.purpose == .start
        guard emergencies.allSatisfy({ isStart && $0.direction == .incoming }) else { throw .emergency }
        if newcomer.isEmergency {
            let ringing = calls.ringing.filter { !$0.emergency }
            return ringing.map { .end($0.id, .emergency, by: .table) }
                + obstacles.map { emergencyClearance(of: $0, canBeHeld: calls.canBeHeld($0, for: newcomer.members)) }
        }
        // Rule 3: a dialing call cannot be held.
        if obstacles.contains(where: \.isDialing), newcomer.purpose != .answer || newcomer.conflict != .end {
            throw .dialing
        }
        try refuseForLimit(calls, obstacles, newcomer)
        let holds = try refuseForUnholdable(calls, obstacles, newcomer, policy)
        let held = holds && !obstacles.isEmpty ? held(calls, besides: obstacles, newcomer) : []
        if !held.isEmpty, policy.heldCalls == .oneOrRefuse { throw .heldCalls }
        let displaced = policy.heldCalls == .oneOrEnd ? held : []
        return displaced.map { .end($0.id, .answerHoldsAnother, by: .policy) }
            + obstacles.map { call in
                let isHeld = holds && calls.canBeHeld(call, for: newcomer.members)
                return clearance(of: call, for: newcomer, isHeld: isHeld, othersAreHeld: !held.isEmpty)
            }
    }

    /// What one call in the way does.
    ///
    /// - Parameter isHeld: whether an active call is held; it ends otherwise.
    private static func clearance(
        of call: CallStanding, for newcomer: Newcomer, isHeld: Bool, othersAreHeld: Bool
    ) -> Clearance {
        let end = Clearance.end(call.id, newcomer.endRule, by: newcomer.conflict == .end ? .request : .policy)
        switch call.state {
        case .holding, .resuming, .answering, .ending: return .wait(call.id)
        case .starting, .started, .connecting: return end
        case .active, .ringing, .held, .ended:
            guard isHeld else { return end }
            return .hold(call.id, newcomer.holdRule(othersAreHeld: othersAreHeld))
        }
    }

    /// Rule 19: dialing calls end (and ringing ones, which are not on the line); active ones are held, or else end.
    private static func emergencyClearance(of call: CallStanding, canBeHeld: Bool) -> Clearance {
        switch call.state {
        case .holding, .resuming, .ending: .wait(call.id)
        case .active where canBeHeld && !call.refusedEmergency: .hold(call.id, .emergency)
        case .active, .starting, .started, .connecting, .answering, .ringing, .held, .ended:
            .end(call.id, .emergency, by: .table)
        }
    }

    /// Rule 4. Lone calls count as groups; ringing calls do not count; calls that are about to end make room.
    private static func refuseForLimit(
        _ calls: Situation, _ obstacles: [CallStanding], _ newcomer: Newcomer
    ) throws(Refusal) {
        guard let provider = newcomer.provider, newcomer.purpose == .start || newcomer.purpose == .answer else {
            return
        }
        let leaving = newcomer.conflict == .end ? obstacles : []
        let present = calls.groupCount(of: provider, without: newcomer.members, leaving: leaving)
        if present >= Int(newcomer.maximumCallGroups) { throw .callGroups(of: provider) }
    }

    /// Rules 2 and 7. Returns whether the calls in the way are held (else they end).
    private static func refuseForUnholdable(
        _ calls: Situation, _ obstacles: [CallStanding], _ newcomer: Newcomer, _ policy: Policy
    ) throws(Refusal) -> Bool {
        guard obstacles.contains(where: isPresent) else { return newcomer.conflict != .end }
        switch newcomer.conflict {
        case .end: return false
        case .fail: throw .conflictFails
        case .hold:
            guard obstacles.contains(where: { isUnholdable($0, for: newcomer, calls) }) else { return true }
            guard newcomer.purpose == .answer, policy.unholdable == .ends else { throw .unholdable }
            // The others of its group are held.
            return obstacles.contains { isPresent($0) && calls.canBeHeld($0, for: newcomer.members) }
        }
    }

    /// Whether a call with the line is neither dialing nor about to end.
    static func isPresent(_ call: CallStanding) -> Bool { call.state != .ending && !call.isDialing }
    static func isUnholdable(_ call: CallStanding, for newcomer: Newcomer, _ calls: Situation) -> Bool {
        isPresent(call) && !calls.canBeHeld(call, for: newcomer.members)
    }

    /// The calls that wait already, oldest first: without the newcomer, and without those in the group of a call in the way.
    static func held(_ calls: Situation, besides obstacles: [CallStanding], _ newcomer: Newcomer) -> [CallStanding] {
        calls.held.filter { call in
            !newcomer.members.contains(call)
                && (call.group == nil || !obstacles.contains { $0.group == call.group })
        }
    }
}
