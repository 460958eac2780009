// What observers see of all calls together.

import CallModel

struct Shown: Sendable {
    /// The call that is heard, or would be heard if it were not on hold.
    private(set) var activeCall: CallID?
    /// The call that rings aloud.
    private(set) var ringingCall: CallID?
    /// The held call that was suggested to be resumed, while it can be.
    private(set) var suggestedResume: CallID?

    mutating func suggest(_ call: CallID, _ outbox: inout Outbox) {
        outbox.announce(.resumeSuggested(call))
        guard suggestedResume != call else { return }
        suggestedResume = call
        outbox.announce(.suggestedResumeChanged(call))
    }

    mutating func update(for calls: CallTable, in situation: Situation, _ outbox: inout Outbox) {
        let active = situation.line.first { $0.hasConnected && $0.state != .resuming && $0.state != .ending }?.id
        if active != activeCall {
            activeCall = active
            outbox.append(.activeCallChanged(active))
        }
        let ringing = situation.ringing.first { calls[$0.id]?.ringMode == .audible }?.id
        if ringing != ringingCall {
            ringingCall = ringing
            outbox.append(.ringingCallChanged(ringing))
        }
        if let suggested = suggestedResume, !situation.line.isEmpty || calls.standing(of: suggested)?.state != .held {
            suggestedResume = nil
            outbox.append(.suggestedResumeChanged(nil))
        }
    }
}
