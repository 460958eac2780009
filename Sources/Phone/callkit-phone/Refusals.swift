// Refusals of the daemon as sentences that say what to do.

import CallModel
import DBus
import EventLoop

extension Phone {
    /// Why something was refused, and what to do. The daemon's own words where they tell more.
    func refusal(_ error: DBusError) -> String {
        switch error.name {
        case DBusError.Name.noReply, DBusError.Name.timeout, DBusError.Name.disconnected,
            DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner:
            return localized("The call service does not answer.")
        case DBusError.Name.unknownObject: return localized("The call has ended already.")
        default: break
        }
        switch ErrorCode(busName: error.name) {
        case .cannotHoldActiveCall: return localized("The active call cannot be put on hold. End it first.")
        case .outgoingCallInProgress:
            return localized("Another call is being made. Wait until it is answered, or hang it up.")
        case .emergencyInProgress: return localized("An emergency call goes on. Wait until it is over.")
        case .maximumCallGroupsReached:
            return localized("The provider takes no more calls. End one of its calls first.")
        case .notSupported: return localized("The provider does not support that.")
        case .actionTimedOut: return localized("The provider did not answer in time. Try again.")
        case .providerCrashed: return localized("The provider has crashed. Try again when it is back.")
        case .alreadyEnded, .unknownCall: return localized("The call has ended already.")
        default: return error.message.displayable
        }
    }
}
