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
    unowned let host: CallSystemHost

    init(_ provider: Provider, host: CallSystemHost) {
        self.provider = provider
        self.host = host
    }

    var id: ProviderID { provider.id }
    var path: ObjectPath { .provider(id) }
    var registered: RegisteredProvider? { host.providers[id] }
    var configuration: ProviderConfiguration { provider.configuration }

    /// Takes the provider's new values over and returns the names of the properties that change with them.
    func take(_ provider: Provider) -> [String] {
        let old = ProviderObject(self.provider, host: host)
        self.provider = provider
        var names = Self.providerInterface.differences(between: old, and: self)
        // Another icon is in the same file.
        if old.configuration.iconTemplateImage != configuration.iconTemplateImage { names.append("Icon") }
        return names
    }
}

extension CallSystemHost {
    func export(_ provider: Provider) {
        let object = ProviderObject(provider, host: self)
        tree.export(object, at: object.path, ProviderObject.providerInterface, ProviderObject.hostInterface)
        accounts.providersChanged()
    }

    func announce(_ provider: Provider) {
        guard let object = tree.object(at: ObjectPath.provider(provider.id)) as? ProviderObject else { return }
        tree.propertiesChanged(at: object.path, Contract.provider, object.take(provider))
    }

    func withdraw(_ provider: ProviderID) {
        tree.remove(ObjectPath.provider(provider))
        providers[provider] = nil
        accounts.providersChanged()
    }
}
