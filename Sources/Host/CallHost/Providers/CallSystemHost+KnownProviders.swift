// The order in which the providers of packaged plugins registered for the first time. They keep it across starts.

import CallCore
import CallModel
import EventLoop

extension CallSystemHost {
    /// The latest providers that are remembered.
    private static var maximumKnown: Int { 256 }
    private static var knownProvidersFile: String { "known-providers" }

    /// Writes down that a provider has registered, unless it has before.
    func remember(_ provider: ProviderID) {
        guard !knownProviders.contains(provider) else { return }
        knownProviders = (knownProviders + [provider]).suffix(Self.maximumKnown)
        saveSettings(
            Self.knownProvidersFile, knownProviders.map { "\($0)\n" }.joined(), of: "the order of the providers")
    }

    func loadKnownProviders() {
        let order = loadSettings(Self.knownProvidersFile, orElse: "the order of the providers is forgotten") { text in
            try text.split(separator: "\n").suffix(Self.maximumKnown).map { (line) throws(CallError) in
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
