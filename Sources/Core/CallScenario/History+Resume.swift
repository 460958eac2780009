// Checks that no call is resumed without a reason.

import CallCore
import CallModel

/// The requests so far.
struct Asked {
    /// The calls that were asked to be resumed.
    var back: Set<CallID> = []
    var ended: Set<CallID> = []
    /// The calls that were held for a transaction.
    var heldFor: [TransactionID: Set<CallID>] = [:]

    mutating func note(_ input: Input) {
        switch input {
        case .requested(let request, _):
            for action in request.actions {
                switch action {
                case .setHeld(let call, false): back.insert(call)
                case .end(let call, _): ended.insert(call)
                case .start, .answer, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer,
                    .answerTransfer:
                    break
                }
            }
        case .reported(.updated(let call, let update), _, _): if update.onHold == false { back.insert(call) }
        default: break
        }
    }
}

extension History {
    /// Whether the call is resumed because another one of a provider that only exchanges calls was held.
    private func isExchanged(_ action: PerformedAction, _ machine: CallMachine) -> Bool {
        asked.heldFor[action.transaction, default: []].contains { held in
            held != action.action.call
                && machine.calls[held].map { $0.swaps && $0.provider == action.provider } ?? false
        }
    }

    /// Checks the reason of a Perform that resumes a call: a request, rule 10, or a request that is undone.
    mutating func checkResume(_ effect: Effect, _ machine: CallMachine) {
        guard case .perform(let action) = effect, case .setHeld(let id, let onHold) = action.action else { return }
        guard !onHold else {
            asked.heldFor[action.transaction, default: []].insert(id)
            return
        }
        let group = machine.calls[id]?.group
        let together = group == nil ? [id] : machine.calls.values.filter { $0.group == group }.map(\.id)
        let isAsked = together.contains { asked.back.contains($0) }
        let isUndone = asked.heldFor[action.transaction]?.contains(id) == true
        let rule = action.rule.number
        switch action.rule {
        case .network where isExchanged(action, machine): break
        case nil, .network: expect(isAsked, "call \(id) is resumed (rule \(rule)) and nobody asked for it")
        case .comesBack:
            let isDisplaced = together.contains { machine.calls[$0]?.heldBy == .arbiter }
            expect(isDisplaced, "call \(id) comes back though the arbiter did not hold it")
            let inTheWay = machine.calls.values.contains { call in
                call.hasLine && !together.contains(call.id) || call.state == .ringing
            }
            expect(!inTheWay, "call \(id) comes back though another rings, starts or is active")
        case .wholeGroup:
            expect(
                isAsked || isUndone || observer.calls[id]?.group.isEmpty == false, "call \(id) is resumed for no reason"
            )
        default: expect(isUndone, "call \(id) is restored (rule \(rule)) and was not held for this request")
        }
    }
}
