// ModemCondition: what a modem can do now.

import OpenCallKit

struct ModemCondition: Hashable, Sendable {
    var availability: CXProviderConfiguration.Availability
    /// One sentence for people; empty while all is well.
    var status: String
    /// The emergency numbers of the SIM card and of the network.
    var emergencyNumbers: [String] = []
    /// Whether its service has an interface for service codes (USSD).
    var sendsServiceCodes = false

    static let lost = ModemCondition(availability: .offline, status: "The modem does not answer")
    /// How many emergency numbers a provider may have.
    static let maximumNumbers = 32

    /// The emergency numbers, those that work everywhere first.
    var allEmergencyNumbers: [String] {
        var seen: Set<String> = []
        let valid = emergencyNumbers.filter { (2...8).contains($0.count) && $0.allSatisfy("0123456789*#".contains) }
        let all = CXProviderConfiguration.wellKnownEmergencyNumbers + valid
        return Array(all.filter { seen.insert($0).inserted }.prefix(Self.maximumNumbers))
    }
}
