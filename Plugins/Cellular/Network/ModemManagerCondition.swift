// What ModemManager's properties of a modem mean for calls. One pure function.

import DBus
import OpenCallKit

/// The properties of the objects of one modem, by interface.
typealias InterfaceProperties = [String: VariantDictionary]

extension ModemCondition {
    /// - Parameters:
    ///   - modem: the properties of the modem's object.
    ///   - sim: those of its SIM card.
    init(modem: InterfaceProperties, sim: VariantDictionary) {
        let main = modem[ModemManagerName.modem] ?? [:]
        let reachesEmergency = modem[ModemManagerName.voice]?["EmergencyOnly", default: false] ?? false
        let (availability, status) = Self.judge(
            main, modem[ModemManagerName.modem3GPP] ?? [:], reachesEmergency: reachesEmergency)
        self.init(
            availability: availability, status: status, emergencyNumbers: sim["EmergencyNumbers", default: []],
            sendsServiceCodes: modem[ModemManagerName.ussd] != nil)
    }

    private static func judge(
        _ modem: VariantDictionary, _ network: VariantDictionary, reachesEmergency: Bool
    ) -> (CXProviderConfiguration.Availability, String) {
        switch ModemManagerState(rawValue: modem["State", default: Int32(0)]) ?? .unknown {
        case .failed:
            // MMModemStateFailedReason: 2 is a missing SIM card, 3 and 5 are broken ones.
            switch modem["StateFailedReason", default: UInt32(0)] {
            case 2: return (.emergencyOnly, "There is no SIM card")
            case 3, 5: return (.emergencyOnly, "The SIM card does not work")
            default: return (.offline, "The modem does not work")
            }
        case .unknown, .initializing: return (.connecting, "The modem is starting")
        case .locked:
            // MMModemLock: from 4 on, more than the PIN of the SIM card is asked for.
            let isPIN = modem["UnlockRequired", default: UInt32(2)] == 2
            return (.emergencyOnly, isPIN ? "The SIM card asks for its PIN" : "The SIM card is locked")
        case .disabled, .disabling:
            // MMModemPowerState: 2 is low, which is what airplane mode does.
            let isOff = modem["PowerState", default: UInt32(3)] < 3
            return (.offline, isOff ? "The modem is off, as in airplane mode" : "The modem is not turned on")
        case .enabling: return (.connecting, "The modem is being turned on")
        case .enabled, .searching: return search(modem, network, reachesEmergency: reachesEmergency)
        case .registered, .disconnecting, .connecting, .connected:
            return reachesEmergency ? (.emergencyOnly, "Only emergency calls are possible") : (.online, "")
        }
    }

    /// The modem is on and has no network.
    private static func search(
        _ modem: VariantDictionary, _ network: VariantDictionary, reachesEmergency: Bool
    ) -> (CXProviderConfiguration.Availability, String) {
        // MMModem3gppRegistrationState: 2 is searching, 3 is denied.
        switch network["RegistrationState", default: UInt32(0)] {
        case 3: return (reachesEmergency ? .emergencyOnly : .unauthorized, "The network refuses the SIM card")
        case 2: return (reachesEmergency ? .emergencyOnly : .connecting, "The modem is looking for a network")
        default: return (reachesEmergency ? .emergencyOnly : .offline, "There is no mobile network")
        }
    }
}
