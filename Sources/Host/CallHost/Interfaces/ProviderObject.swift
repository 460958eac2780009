// A provider on the bus: what everybody may read, and what only its owner may report.

import CallCore
import CallModel
import DBus
import EventLoop

@LoopActor
final class ProviderObject {
    let id: ProviderID
    unowned let host: CallSystemHost

    init(_ id: ProviderID, host: CallSystemHost) {
        self.id = id
        self.host = host
    }

    var provider: Provider? { host.machine.providers[id] }
    var registered: RegisteredProvider? { host.providers[id] }
    var configuration: ProviderConfiguration { provider?.configuration ?? ProviderConfiguration() }

    nonisolated static func path(of provider: ProviderID) -> ObjectPath {
        ObjectPath.providers.appending(provider.rawValue) ?? .root
    }
}

extension CallSystemHost {
    func export(_ provider: ProviderID) {
        let object = ProviderObject(provider, host: self)
        tree.export(
            object, at: ProviderObject.path(of: provider), ProviderObject.providerInterface,
            ProviderObject.hostInterface)
    }

    func announce(_ provider: ProviderID) {
        tree.propertiesChanged(
            at: ProviderObject.path(of: provider), Contract.provider,
            [
                "LocalizedName", "SupportedHandleTypes", "SupportsVideo", "SupportsAudioTranslation",
                "MaximumCallGroups",
                "MaximumCallsPerCallGroup", "IncludesCallsInRecents", "RingtoneSound", "Icon", "State",
                "CustomActions",
            ])
    }

    func withdraw(_ provider: ProviderID) {
        tree.remove(ProviderObject.path(of: provider))
        providers[provider] = nil
    }
}
