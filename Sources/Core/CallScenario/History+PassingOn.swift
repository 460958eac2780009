// Checks rule 19 where it is about providers: who may declare an emergency, and who gets an emergency call.

import CallCore
import CallModel

extension History {
    /// An emergency call is declared by a provider that came with the system or that the user marked. One that is to be
    /// started goes to a provider that reaches the services with its number.
    mutating func checkEntitlement(of call: Call, _ machine: CallMachine) {
        guard call.state != .ended, let provider = machine.providers[call.provider] else { return }
        expect(
            !call.emergency || provider.isEntitled,
            "\(call.provider) declares call \(call.id) an emergency call, and may not")
        guard call.state == .starting, let handle = call.handle, machine.isEmergency(handle) else { return }
        expect(
            call.emergency && provider.isEmergency(handle),
            "call \(call.id) to \(handle) goes to \(call.provider), which does not reach the emergency services")
    }

    /// Notes that an emergency call has gone on to another provider.
    mutating func notePassingOn(_ call: Call, after input: Input) {
        expect(call.emergency && call.direction == .outgoing, "call \(call.id) changes its provider")
        if let former = added[call.id] { passedOver[call.id, default: []].insert(former) }
        added[call.id] = call.provider
    }

    /// No emergency call ends for its provider's sake while it is being started and another could take it.
    mutating func checkPassingOn(_ call: Call, after input: Input, _ machine: CallMachine) {
        guard call.emergency, call.state == .ended, !isLeaving, let seen = observer.calls[call.id],
            seen.state == .starting, let handle = call.handle
        else { return }
        let origins: [Origin] = [.provider, .deadline, .remote]
        guard let origin = call.endedBy, origins.contains(origin) else { return }
        var over = (passedOver[call.id] ?? []).union([seen.provider ?? call.provider, call.provider])
        // It was not there a moment ago.
        if case .providerRegistered(let id, _, _, _) = input { over.insert(id) }
        let next = machine.candidates(for: StartRequest(handle)).first { candidate in
            candidate.reason == nil && !over.contains(candidate.provider.id)
        }
        expect(next == nil, "emergency call \(call.id) ends though \(next?.provider.id.rawValue ?? "") could take it")
    }

    /// Whether an action tells a provider to end a call that has gone on to another.
    func isOfFormerProvider(_ action: PerformedAction) -> Bool {
        guard case .end(let call, _) = action.action else { return false }
        return isOfFormerProvider(action, of: call) || added[call] == action.provider
    }

    func isOfFormerProvider(_ action: PerformedAction, of call: CallID) -> Bool {
        passedOver[call]?.contains(action.provider) == true
    }

    /// Whether the start of another emergency call ends this one, which came in.
    func isOvertaken(_ call: Call, by rule: Rule?) -> Bool { call.direction == .incoming && rule == .emergency }
}
