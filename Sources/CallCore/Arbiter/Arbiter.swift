// Who has the line: the decision table of docs/arbitration.md as one pure function.
//
// The line is the one place where people talk. At most one call, or one group, has it. A newcomer gets it only after
// those who have it were confirmed held or ended; this file says in which way each of them gives it up, or why not.

import CallModel

/// Who wants the line, and for what.
struct Newcomer: Sendable {
    enum Purpose: Sendable { case start, answer, resume, group }
    let purpose: Purpose
    /// The calls that are to share the line: the newcomer itself and the members of its group.
    let members: Set<CallID>
    let provider: Provider
    let isEmergency: Bool
    let conflict: ConflictPolicy
    /// The table's row for a hold in this newcomer's favour, when it is not told by the purpose (rule 10, 16).
    let holdRule: UInt32?
}

/// How one call in the way gives up the line.
enum Clearance: Sendable, Hashable {
    /// An action on it is under way; its outcome decides.
    case wait(CallID)
    case hold(CallID, rule: UInt32)
    case end(CallID, rule: UInt32)

    /// Whether the call in the way outlives it.
    var keepsTheCall: Bool {
        switch self {
        case .wait, .hold: true
        case .end: false
        }
    }
}

enum Arbiter {
    /// The deeds that clear the line for `newcomer`, in order; empty when it is free.
    ///
    /// - Parameters:
    ///   - calls: all calls that have not ended, oldest first.
    ///   - policy: what the rows that are a matter of taste say.
    /// - Throws: the refusal that the table states, naming the calls in the way.
    static func clearances(
        for newcomer: Newcomer, among calls: [Call], under policy: Policy
    ) throws(CallError) -> [Clearance] {
        // The members of a group in the order in which they joined.
        let obstacles = calls.filter { $0.hasLine && !newcomer.members.contains($0.id) }
            .sorted { ($0.joinedOrder, $0.createdOrder) < ($1.joinedOrder, $1.createdOrder) }
        try refuseForEmergency(calls, newcomer)
        if newcomer.isEmergency { return emergencyClearances(obstacles, calls: calls) }
        try refuseForDialing(obstacles, newcomer)
        try refuseForLimit(calls, obstacles, newcomer)
        let holds = try refuseForUnholdable(obstacles, newcomer, policy)
        let line = Set(obstacles.map(GroupKey.init))
        let held = calls.filter {
            $0.state == .held && !newcomer.members.contains($0.id) && !line.contains(GroupKey($0))
        }
        let surplus = holds && !obstacles.isEmpty ? try refuseForHeldCalls(held, policy) : []
        return surplus.map { .end($0.id, rule: 8) }
            + obstacles.map { call in
                switch call.state {
                case .holding, .resuming, .answering, .ending: .wait(call.id)
                case .starting, .started, .connecting: .end(call.id, rule: newcomer.endRule)
                case .active, .ringing, .held, .ended:
                    holds
                        ? .hold(call.id, rule: newcomer.holdRule(othersHeld: !held.isEmpty))
                        : .end(call.id, rule: newcomer.endRule)
                }
            }
    }

    /// Rule 19, the other way round: nobody displaces an emergency call, not even another one.
    private static func refuseForEmergency(_ calls: [Call], _ newcomer: Newcomer) throws(CallError) {
        let emergencies = calls.filter {
            $0.emergency && $0.state != .ringing && $0.state != .ending && !newcomer.members.contains($0.id)
        }
        guard emergencies.isEmpty else {
            throw CallError(.emergencyInProgress, "emergency call in progress: \(list(emergencies))")
        }
    }

    /// Rule 3: a dialing call cannot be held.
    private static func refuseForDialing(_ obstacles: [Call], _ newcomer: Newcomer) throws(CallError) {
        let dialing = obstacles.filter(\.isDialing)
        guard dialing.isEmpty || (newcomer.purpose == .answer && newcomer.conflict == .end) else {
            throw CallError(.outgoingCallInProgress, "an outgoing call is not yet connected: \(list(dialing))")
        }
    }

    /// Rule 4. Lone calls count as groups; ringing calls do not count; calls that are about to end make room.
    private static func refuseForLimit(
        _ calls: [Call], _ obstacles: [Call], _ newcomer: Newcomer
    ) throws(CallError) {
        guard newcomer.purpose == .start || newcomer.purpose == .answer else { return }
        let leaving = newcomer.conflict == .end ? Set(obstacles.map(\.id)) : []
        let own = calls.filter {
            $0.provider == newcomer.provider.id && $0.state != .ringing && $0.state != .ending
                && !newcomer.members.contains($0.id) && !leaving.contains($0.id)
        }
        let groups = Set(own.map(GroupKey.init)).count
        let maximum = newcomer.provider.configuration.maximumCallGroups
        guard groups < Int(maximum) else {
            let present = own.isEmpty ? "it takes no calls" : "present: \(list(own))"
            throw CallError(
                .maximumCallGroupsReached,
                "provider \(newcomer.provider.id) allows \(maximum) call groups, \(present)")
        }
    }

    /// Rules 2 and 7. Returns whether the calls in the way are to be held (else ended).
    private static func refuseForUnholdable(
        _ obstacles: [Call], _ newcomer: Newcomer, _ policy: Policy
    ) throws(CallError) -> Bool {
        let talking = obstacles.filter { $0.state != .ending && !$0.isDialing }
        guard !talking.isEmpty else { return newcomer.conflict != .end }
        switch newcomer.conflict {
        case .end: return false
        case .fail:
            throw CallError(
                .cannotHoldActiveCall, "a call is in the way, and conflict=fail leaves it alone: \(list(talking))")
        case .hold:
            let unholdable = talking.filter { !$0.isHoldable }
            guard unholdable.isEmpty else {
                if newcomer.purpose == .answer, policy.unholdable == .ends { return false }
                throw CallError(.cannotHoldActiveCall, "a call in the way cannot be held: \(list(unholdable))")
            }
            return true
        }
    }

    /// How many calls the arbiter lets wait. Returns the held ones that are to end to make room for those in the way.
    private static func refuseForHeldCalls(_ held: [Call], _ policy: Policy) throws(CallError) -> [Call] {
        switch policy.heldCalls {
        case .unlimited: return []
        case .oneOrEnd: return held
        case .oneOrRefuse:
            guard held.isEmpty else {
                throw CallError(
                    .cannotHoldActiveCall, "policy \(policy.name) lets one call wait at a time: \(list(held))")
            }
            return []
        }
    }

    /// Rule 19: ringing and dialing calls end; active ones are held, or else end.
    private static func emergencyClearances(_ obstacles: [Call], calls: [Call]) -> [Clearance] {
        let ringing = calls.filter { $0.state == .ringing && !$0.emergency }
        return ringing.map { .end($0.id, rule: 19) }
            + obstacles.map { call in
                switch call.state {
                case .holding, .resuming, .ending: .wait(call.id)
                case .active where call.isHoldable && !call.refusedEmergency: .hold(call.id, rule: 19)
                case .active, .starting, .started, .connecting, .answering, .ringing, .held, .ended:
                    .end(call.id, rule: 19)
                }
            }
    }

    static func list(_ calls: [Call]) -> String {
        calls.map { "call \($0.id) of provider \($0.provider)" }.joined(separator: ", ")
    }
}

private enum GroupKey: Hashable {
    case group(GroupID)
    case lone(CallID)

    init(_ call: Call) {
        self = call.group.map(GroupKey.group) ?? .lone(call.id)
    }
}

extension Newcomer {
    /// The table's row for a hold: 1 start, 6 answer (8 when others are held already), 12 swap, 14 group.
    fileprivate func holdRule(othersHeld: Bool) -> UInt32 {
        if let holdRule { return holdRule }
        switch purpose {
        case .start: return 1
        case .answer: return othersHeld ? 8 : 6
        case .resume: return 12
        case .group: return 14
        }
    }

    /// The table's row for an end: 2 start, 7 answer, 12 resume, 14 group.
    fileprivate var endRule: UInt32 {
        switch purpose {
        case .start: 2
        case .answer: 7
        case .resume: 12
        case .group: 14
        }
    }
}
