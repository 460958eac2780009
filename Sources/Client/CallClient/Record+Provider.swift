// The properties of a provider.

import DBus

extension Record {
    /// Whether the provider takes phone numbers.
    package var takesPhoneNumbers: Bool { words("SupportedHandleTypes").contains("phone-number") }

    /// Whether calls to its emergency numbers are possible now.
    package var reachesEmergencyServices: Bool {
        text("State") == "ready" && ["online", "emergency-only"].contains(text("Availability"))
            && !words("EmergencyNumbers").isEmpty
    }
}

extension Collection<Record> {
    /// Which numbers reach the emergency services now, and with which provider, for people; nil if none does.
    package var emergencyText: String? {
        let texts = filter(\.reachesEmergencyServices).sorted { $0.id < $1.id }.map { provider in
            let name = provider.text("LocalizedName")
            let numbers = provider.words("EmergencyNumbers").joined(separator: ", ")
            return "\(numbers) with \(name.isEmpty ? provider.id : name)"
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }
}
