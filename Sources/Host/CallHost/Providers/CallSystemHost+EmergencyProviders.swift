// The providers that the user marked as ones that reach the emergency services.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    var markedProviders: [String] { machine.emergencyProviders.map(\.rawValue).sorted() }

    /// Writes the choice down, puts it in force and tells the bus. A provider that is left out is trusted no longer, even if
    /// that cannot be written.
    ///
    /// - Throws: `InvalidArguments`; `StoreUnavailable` if it cannot be written. No provider has been added then.
    func setEmergencyProviders(_ wire: [String]) throws(CallError) {
        let new = try EmergencyProviderSettings(wire)
        let present = machine.emergencyProviders
        let lesser = EmergencyProviderSettings(new.providers.intersection(present))
        try emergencyProvidersFile.keep(new, orHold: lesser.providers == present ? nil : lesser) { new in
            guard new.providers != present else { return }
            submit(.emergencyProvidersSet(new.providers))
            tree.propertiesChanged(at: .system, Contract.callSystem, ["EmergencyProviders"])
        }
    }

    /// Takes over what was chosen when the daemon ran the last time.
    func loadEmergencyProviders() {
        let providers = emergencyProvidersFile.read().providers
        if !providers.isEmpty { submit(.emergencyProvidersSet(providers)) }
    }
}
