// The order in which the providers of plugins registered for the first time. They keep it across starts.

import CallCore
import CallModel
import EventLoop

extension CallSystemHost {
    private static var knownProvidersFile: String { "known-providers" }

    /// Writes the order down after a plugin has registered a provider, if that is a new one.
    func rememberProviders() {
        let order = machine.knownProviders
        guard order != knownProviders else { return }
        knownProviders = order
        saveSettings(
            Self.knownProvidersFile, order.map { "\($0)\n" }.joined(), of: "the order of the providers")
    }

    func loadKnownProviders() {
        let order = loadSettings(Self.knownProvidersFile, orElse: "the order of the providers is forgotten") { text in
            try text.split(separator: "\n").map { (line) throws(CallError) in
                guard let id = ProviderID(String(line)) else {
                    throw CallError(.invalidArguments, "\"\(String(line).excerpt)\" is not a valid provider id")
                }
                return id
            }
        }
        guard let order else { return }
        knownProviders = order
        submit(.providersKnown(order))
    }
}
