// AwaitedPhase: an action that is fulfilled when its call is where the action wants it.

import OpenCallKit

struct AwaitedPhase {
    let action: CXCallAction
    let call: String
    /// The phase to reach; nil is the end of the call.
    let goal: MobileCall.Phase?
    /// The call that it joins.
    let partner: String?

    init?(_ action: CXCallAction, _ call: String, partner: String?) {
        switch action {
        case let hold as CXSetHeldCallAction: goal = hold.isOnHold ? .held : .active
        case is CXAnswerCallAction, is CXSetGroupCallAction: goal = .active
        case is CXEndCallAction: goal = nil
        default: return nil
        }
        (self.action, self.call, self.partner) = (action, call, partner)
    }

    /// Whether the call is there, according to the modem's list.
    func isReached(in calls: BelievableCalls) -> Bool {
        guard let found = calls.calls[call] else { return goal == nil }
        guard found.phase == goal else { return false }
        guard let group = action as? CXSetGroupCallAction else { return true }
        guard group.callUUIDToGroupWith != nil else { return !found.isMultiparty }
        guard let other = partner.flatMap({ calls.calls[$0] }) else { return false }
        return found.isMultiparty && other.isMultiparty && other.phase == .active
    }
}
