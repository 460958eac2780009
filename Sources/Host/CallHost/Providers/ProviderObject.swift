// A provider on the bus: what everybody may read, and what only its owner may report.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Shows a provider as it was announced last.
@LoopActor
final class ProviderObject {
    private(set) var provider: Provider
    unowned let providers: Providers

    init(_ provider: Provider, of providers: Providers) {
        self.provider = provider
        self.providers = providers
    }

    var id: ProviderID { provider.id }
    var path: ObjectPath { .provider(id) }
    var registered: RegisteredProvider? { providers[id] }
    var configuration: ProviderConfiguration { provider.configuration }

    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>) {
        guard let owner = registered?.share else { return }
        providers.clients.noteUnknownKeys(in: wire, besides: known, from: "the provider", by: owner, at: path)
    }

    /// Shows the provider's new values, and returns the names of the properties that change with them.
    func update(_ provider: Provider) -> [String] {
        let old = ProviderObject(self.provider, of: providers)
        self.provider = provider
        var names = Self.providerInterface.differences(between: old, and: self)
        // Another icon is in the same file.
        if old.configuration.iconTemplateImage != configuration.iconTemplateImage { names.append("Icon") }
        return names
    }
}
