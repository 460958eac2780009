// ModemManagerNames: the names and numbers of ModemManager's interface.

import DBus

enum ModemManagerName {
    static let service = "org.freedesktop.ModemManager1"
    static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    static let modem = "\(service).Modem"
    static let modem3GPP = "\(service).Modem.Modem3gpp"
    static let ussd = "\(modem3GPP).Ussd"
    static let voice = "\(service).Modem.Voice"
    static let time = "\(service).Modem.Time"
    static let sim = "\(service).Sim"
    static let call = "\(service).Call"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
}

/// MMModemState.
enum ModemManagerState: Int32 {
    case failed = -1
    case unknown, initializing, locked, disabled, disabling, enabling, enabled, searching, registered, disconnecting,
        connecting, connected
}

/// MMModem3gppUssdSessionState.
enum ModemManagerUSSDState: UInt32 {
    case unknown, idle, active, userResponse
}

/// MMCallState.
enum ModemManagerCallState: Int32 {
    case unknown, dialing, ringingOut, ringingIn, active, held, waiting, terminated

    var phase: MobileCall.Phase? {
        switch self {
        case .dialing: .dialing
        case .ringingOut: .alerting
        case .ringingIn: .incoming
        case .active: .active
        case .held: .held
        case .waiting: .waiting
        case .unknown, .terminated: nil
        }
    }
}

/// MMCallStateReason.
enum ModemManagerCallReason: Int32 {
    case unknown, outgoingStarted, incomingNew, accepted, terminated, refusedOrBusy, error, audioSetupFailed,
        transferred, deflected

    /// - Parameter wasConnected: whether the call was connected before it ended for this reason.
    func cause(wasConnected: Bool) -> EndCause {
        switch self {
        case .refusedOrBusy: .refusedOrBusy
        case .error: wasConnected ? .networkFailed : .notReached
        case .audioSetupFailed: .networkFailed
        case .transferred, .deflected: .transferred
        case .terminated: .ended
        case .unknown, .outgoingStarted, .incomingNew, .accepted: .unknown
        }
    }
}
