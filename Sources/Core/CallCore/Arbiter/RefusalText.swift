// The messages of refusals, which name the calls in the way.

import CallModel

extension Refusal {
    /// The error that the table states.
    func error(for newcomer: Newcomer, among calls: Situation, under policy: Policy) -> CallError {
        let obstacles = calls.line(without: newcomer.members)
        switch self {
        case .emergency:
            let emergencies = calls.emergencies(besides: newcomer.members)
            return CallError(.emergencyInProgress, "emergency call in progress: \(Self.list(emergencies))")
        case .dialing:
            return CallError(
                .outgoingCallInProgress,
                "an outgoing call is not yet connected: \(Self.list(obstacles.filter(\.isDialing)))")
        case .callGroups(let provider): return callGroups(of: provider, newcomer, calls, obstacles)
        case .conflictFails:
            let present = obstacles.filter(Arbiter.isPresent)
            return CallError(
                .cannotHoldActiveCall,
                "a call is in the way, and conflict=fail leaves it alone: \(Self.list(present))")
        case .unholdable:
            let unholdable = obstacles.filter { Arbiter.isUnholdable($0, for: newcomer, calls) }
            return CallError(.cannotHoldActiveCall, "a call in the way cannot be held: \(Self.list(unholdable))")
        case .heldCalls:
            let held = Arbiter.held(calls, besides: obstacles, newcomer)
            return CallError(
                .cannotHoldActiveCall, "policy \(policy.name) lets one call wait at a time: \(Self.list(held))")
        }
    }

    private func callGroups(
        of provider: ProviderID, _ newcomer: Newcomer, _ calls: Situation, _ obstacles: [CallStanding]
    ) -> CallError {
        let leaving = newcomer.conflict == .end ? obstacles : []
        let own = calls.counted(of: provider, without: newcomer.members, leaving: leaving)
        let present = own.isEmpty ? "it takes no calls" : "present: \(Self.list(own))"
        return CallError(
            .maximumCallGroupsReached,
            "provider \(provider) allows \(newcomer.maximumCallGroups) call groups, \(present)")
    }

    static func list(_ calls: [CallStanding]) -> String {
        calls.map { "call \($0.id) of provider \($0.provider)" }.joined(separator: ", ")
    }
}
