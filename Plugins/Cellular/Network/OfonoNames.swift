// OfonoNames: the names of oFono's interface.

import DBus

enum OfonoName {
    /// The usual name of the service. Other services have the same interfaces under names of their own.
    static let service = "org.ofono"
    static let root: ObjectPath = "/"
    static let manager = "org.ofono.Manager"
    static let modem = "org.ofono.Modem"
    static let calls = "org.ofono.VoiceCallManager"
    static let call = "org.ofono.VoiceCall"
    static let sim = "org.ofono.SimManager"
    static let registration = "org.ofono.NetworkRegistration"
    static let services = "org.ofono.SupplementaryServices"
    static let volume = "org.ofono.CallVolume"

    /// The phase of a call in one of these words; nil for a call that has ended.
    static func phase(_ word: String) -> MobileCall.Phase? {
        switch word {
        case "dialing": .dialing
        case "alerting": .alerting
        case "incoming": .incoming
        case "waiting": .waiting
        case "active": .active
        case "held": .held
        default: nil
        }
    }

    static func cause(_ disconnectReason: String) -> EndCause {
        switch disconnectReason {
        case "network": .networkFailed
        default: .ended
        }
    }
}
