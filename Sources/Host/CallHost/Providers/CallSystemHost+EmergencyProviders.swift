// The providers that the user marked as ones that reach the emergency services.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    private static var maximumMarked: Int { 32 }

    var markedProviders: [String] { machine.emergencyProviders.map(\.rawValue).sorted() }

    /// Replaces the choice, tells the bus and writes it down.
    func setEmergencyProviders(_ wire: [String]) throws(CallError) {
        let choice = try Self.marked(wire)
        guard choice != machine.emergencyProviders else { return }
        submit(.emergencyProvidersSet(choice))
        tree.propertiesChanged(at: .system, Contract.callSystem, ["EmergencyProviders"])
        saveSettings(
            Self.emergencyProvidersFile, markedProviders.map { "\($0)\n" }.joined(), of: "the emergency providers")
    }

    private static func marked(_ wire: [String]) throws(CallError) -> Set<ProviderID> {
        guard wire.count <= maximumMarked else {
            throw CallError(.invalidArguments, "\(wire.count) providers, expected at most \(maximumMarked)")
        }
        var choice: Set<ProviderID> = []
        for text in wire {
            guard let id = ProviderID(text) else {
                throw CallError(.invalidArguments, "\"\(text.excerpt)\" is not a valid provider id")
            }
            choice.insert(id)
        }
        return choice
    }

    /// Takes over what was chosen when the daemon ran the last time.
    func loadEmergencyProviders() {
        let choice = loadSettings(Self.emergencyProvidersFile, orElse: "no provider is marked") { text in
            try Self.marked(text.split(separator: "\n").map(String.init))
        }
        if let choice { submit(.emergencyProvidersSet(choice)) }
    }

    private static var emergencyProvidersFile: String { "emergency-providers" }
}
