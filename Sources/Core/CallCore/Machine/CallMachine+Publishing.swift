// What observers see: the derived properties of all calls, and the changes made by one input.

import CallModel

extension CallMachine {
    /// Works out the derived properties and announces what changed since the last input.
    mutating func publish(_ situation: Situation) {
        let abilities = AbilitiesNow(situation, providers, policy).abilities()
        calls.take(abilities)
        standing.calls.announce(&effects)
        let active = situation.line.first { $0.hasConnected && $0.state != .resuming && $0.state != .ending }?.id
        if active != activeCall {
            activeCall = active
            effects.append(.activeCallChanged(active))
        }
        let ringing = situation.ringing.first { calls[$0.id]?.ringMode == .audible }?.id
        if ringing != ringingCall {
            ringingCall = ringing
            effects.append(.ringingCallChanged(ringing))
        }
        if let suggested = suggestedResume, !situation.line.isEmpty || calls.standing(of: suggested)?.state != .held {
            suggestedResume = nil
            effects.append(.suggestedResumeChanged(nil))
        }
    }
}
