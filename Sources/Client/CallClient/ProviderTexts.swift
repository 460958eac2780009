// What clients say of a provider.

package import CallModel
import CallWire
package import DBus

extension PublishedProvider {
    /// - Returns: nil if the path is not that of a provider.
    init?(_ path: ObjectPath, _ properties: VariantDictionary) {
        guard let id = Contract.provider(at: path.text) else { return nil }
        self.init(id)
        update(properties)
    }

    package var path: ObjectPath { .provider(id) }

    /// Its name for people, or its id if it has none.
    package var name: String { configuration.localizedName.isEmpty ? id.rawValue : configuration.localizedName }

    /// Whether the provider takes phone numbers.
    package var takesPhoneNumbers: Bool { configuration.supportedHandleTypes.contains(.phoneNumber) }

    /// Whether calls to its emergency numbers are possible now.
    package var reachesEmergencyServices: Bool {
        state == .ready && [.online, .emergencyOnly].contains(configuration.availability)
            && !configuration.emergencyNumbers.isEmpty
    }
}

extension Collection<PublishedProvider> {
    /// Which numbers reach the emergency services now, and with which provider, for people; nil if none does.
    package var emergencyText: String? {
        let texts = filter(\.reachesEmergencyServices).sorted { $0.id.rawValue < $1.id.rawValue }.map { provider in
            "\(provider.configuration.emergencyNumbers.joined(separator: ", ")) with \(provider.name)"
        }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }
}
