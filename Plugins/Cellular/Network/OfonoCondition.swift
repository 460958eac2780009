// What oFono's properties of a modem mean for calls. One pure function.

import DBus
import OpenCallKit

extension ModemCondition {
    /// - Parameter ofono: the properties of the modem, by interface.
    init(ofono: InterfaceProperties) {
        let (availability, status) = Self.judge(
            ofono[OfonoName.modem] ?? [:], sim: ofono[OfonoName.sim], ofono[OfonoName.registration] ?? [:])
        self.init(
            availability: availability, status: status,
            emergencyNumbers: ofono[OfonoName.calls]?["EmergencyNumbers", default: []] ?? [],
            sendsServiceCodes: ofono[OfonoName.modem]?["Interfaces", default: [String]()].contains(OfonoName.services)
                == true)
    }

    private static func judge(
        _ modem: VariantDictionary, sim: VariantDictionary?, _ registration: VariantDictionary
    ) -> (CXProviderConfiguration.Availability, String) {
        guard modem["Powered", default: false] else { return (.offline, "The modem is not turned on") }
        guard modem["Interfaces", default: [String]()].contains(OfonoName.calls) else {
            return (.connecting, "The modem is starting")
        }
        if let sim {
            guard sim["Present", default: true] else { return (.emergencyOnly, "There is no SIM card") }
            switch sim["PinRequired", default: "none"] {
            case "none": break
            case "pin": return (.emergencyOnly, "The SIM card asks for its PIN")
            default: return (.emergencyOnly, "The SIM card is locked")
            }
        }
        guard modem["Online", default: false] else { return (.offline, "The modem is off, as in airplane mode") }
        // oFono tells of the network some time after the modem is online. A phone that is connected by Bluetooth may tell
        // nothing of its network.
        let assumed = modem["Type", default: ""] == "hardware" ? "searching" : "registered"
        switch registration["Status", default: assumed] {
        case "registered", "roaming": return (.online, "")
        case "searching": return (.connecting, "The modem is looking for a network")
        case "denied": return (.unauthorized, "The network refuses the SIM card")
        default: return (.offline, "There is no mobile network")
        }
    }
}
