// ToldCall: what the system has been told about a call of a modem.

import OpenCallKit

struct ToldCall {
    enum Stage {
        /// It has been reported, and the system has not agreed yet.
        case offered
        /// The system does not have it, or not any more. It is ended, unless it is an emergency call that was found.
        case refused
        case ringing
        case dialing
        case alerting
        case connected
    }

    let uuid: UUID
    let isOutgoing: Bool
    let isEmergency: Bool
    var stage: Stage
    /// Whether the system was told the number.
    var hasNumber: Bool
    /// Whether the system takes it to be on hold.
    var isHeld = false
    /// Whether the network must end it, which is tried until it does.
    var mustEnd = false
    /// Whether the system was told that another program has answered it.
    var isAnsweredElsewhere = false
    /// Whether the system has it in a group.
    var isGrouped = false
}
