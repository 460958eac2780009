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
    private(set) var published: PublishedProvider
    unowned let providers: Providers

    init(_ provider: Provider, of providers: Providers) {
        self.provider = provider
        self.providers = providers
        published = PublishedProvider(provider, providers[provider.id])
    }

    var id: ProviderID { provider.id }
    var path: ObjectPath { .provider(id) }
    var registered: RegisteredProvider? { providers[id] }
    /// What the provider has declared.
    var declared: ProviderConfiguration { provider.configuration }

    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>) {
        guard let owner = registered?.share else { return }
        providers.clients.noteUnknownKeys(in: wire, besides: known, from: "the provider", by: owner, at: path)
    }

    /// Shows the provider's new values, and returns the names of the properties that change with them.
    func update(_ provider: Provider) -> [String] {
        let (old, former) = (published, self.provider)
        self.provider = provider
        published = PublishedProvider(provider, registered)
        // Another icon is in the same file.
        let hasOtherIcon = former.configuration.iconTemplateImage != declared.iconTemplateImage
        return PublishedProvider.fields.filter { field in
            field.differs(old, published) || hasOtherIcon && field.name == ProviderProperty.icon
        }.map(\.name)
    }
}

extension PublishedProvider {
    @LoopActor
    fileprivate init(_ provider: Provider, _ registered: RegisteredProvider?) {
        self.init(provider.id)
        state = provider.isReady ? .ready : .unavailable
        configuration = provider.configuration
        configuration.emergencyNumbers = provider.emergencyNumbers
        configuration.iconTemplateImage = []
        icon = registered?.icon ?? ""
        if case .plugin(let id)? = registered?.owner { plugin = id }
        // A plugin's ringtone lies in its resource folder; an app names its own by its absolute name.
        let ringtone = configuration.ringtoneSound
        if let folder = registered?.resourceFolder, !folder.isEmpty, !ringtone.isEmpty, !ringtone.hasPrefix("/") {
            configuration.ringtoneSound = folder + "/" + ringtone
        }
    }
}
