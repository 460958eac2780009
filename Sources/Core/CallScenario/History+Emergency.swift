// Checks rule 19: only an emergency call may stand in the way of another.

import CallCore
import CallModel

extension History {
    mutating func checkEmergency(_ effect: Effect, after input: Input, _ machine: CallMachine) {
        switch effect {
        case .perform(let action):
            guard let call = machine.calls[action.action.call], call.emergency else { return }
            switch action.action {
            case .end:
                let isAsked = asked.ended.contains(call.id) || isLeaving || call.state == .ended
                expect(
                    isAsked || isOfFormerProvider(action) || isOvertaken(call, by: action.rule),
                    "emergency call \(call.id) is to end and nobody asked for it")
            case .setHeld(_, true):
                // What the network holds stays held; the arbiter holds none.
                expect(action.rule == .network, "emergency call \(call.id) is to be held (rule \(action.rule.number))")
            case .start, .answer, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer,
                .answerTransfer:
                break
            }
        case .callAdded(let call): checkEntitlement(of: call, machine)
        case .callChanged(let call, let changes):
            if !changes.isDisjoint(with: [.emergency, .provider]) { checkEntitlement(of: call, machine) }
            checkPassingOn(call, after: input, machine)
        case .callEnded(let id, let reason, let origin):
            guard machine.calls[id]?.emergency == true else { return }
            switch origin {
            case .user: expect(asked.ended.contains(id), "emergency call \(id) ends and nobody asked for it")
            case .remote, .provider, .deadline: break
            case .system: expect(isLeaving, "emergency call \(id) is ended by the system")
            case .arbiter, .policy:
                let rule = machine.latestCause(of: id)?.rule
                let gaveWay = machine.calls[id].map { isOvertaken($0, by: rule) } ?? false
                expect(isLeaving || gaveWay, "emergency call \(id) ends \(reason.rawValue) by the \(origin.rawValue)")
            }
        case .reply(let id, .failed(let error)): checkRefusal(error, of: id, after: input, machine)
        default: break
        }
    }

    /// Checks refusals at once; a refusal after a wait is found by the end of its call.
    private mutating func checkRefusal(
        _ error: CallError, of reply: ReplyID, after input: Input, _ machine: CallMachine
    ) {
        let isEmergency =
            switch input {
            case .requested(let request, reply):
                request.actions.count == 1 && request.actions.allSatisfy { isForEmergency($0, machine) }
            case .reported(.incoming(_, let update), let provider, reply):
                update.emergency == true && machine.providers[provider]?.isEntitled == true
            default: false
            }
        guard isEmergency else { return }
        switch error.code {
        case .filteredByBlockList, .filteredByDoNotDisturb, .cannotHoldActiveCall, .outgoingCallInProgress,
            .maximumCallGroupsReached, .limitsExceeded:
            expect(false, "an emergency is refused \(error.code.rawValue)")
        case .emergencyInProgress:
            let isStart =
                if case .requested(let request, _) = input { request.actions.first?.kind == .start } else { false }
            let other = machine.calls.values.contains { other in
                other.emergency && other.state != .ended && (!isStart || other.direction == .outgoing)
            }
            expect(other, "an emergency is refused for the sake of nobody's")
        default: break
        }
    }

    private func isForEmergency(_ action: CallAction, _ machine: CallMachine) -> Bool {
        switch action {
        case .start(_, let start): machine.isEmergency(start.handle)
        case .answer(let call): machine.calls[call]?.emergency == true
        case .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer: false
        }
    }
}
