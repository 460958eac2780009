// Checks rule 17 where it is about the line.

import CallCore
import CallModel

extension History {
    /// Nobody waits any more for a provider that did not answer an action of the line, although it had time.
    mutating func checkForfeiting(_ action: PerformedAction?, _ machine: CallMachine) {
        guard let action, machine.unanswered.contains(where: { $0.id == action.id }) else { return }
        switch action.action.kind {
        case .start, .answer, .setHeld, .setGroup:
            let count = machine.waiting(for: action.provider)
            expect(
                count == 0, "\(count) requests wait for \(action.provider), which did not answer a\(action.id.number)")
        case .end, .setMuted, .playDTMF, .setTranslating, .transfer, .transferTo, .answerTransfer: break
        }
    }
}
