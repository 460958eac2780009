// org.opencallkit.Provider1: what a provider declares about itself, and its own buttons.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension ProviderObject {
    static let providerInterface = Interface<ProviderObject>(Contract.provider) {
        Property("Id", changes: .constant) { (object: ProviderObject) in object.id.rawValue }
        Property("LocalizedName") { (object: ProviderObject) in object.configuration.localizedName }
        Property("SupportedHandleTypes") { (object: ProviderObject) in
            object.configuration.supportedHandleTypes.map(\.rawValue)
        }
        Property("SupportedSchemes") { (object: ProviderObject) in object.configuration.supportedSchemes }
        Property("Key", changes: .constant) { (object: ProviderObject) in object.configuration.key }
        Property("Availability") { (object: ProviderObject) in object.configuration.availability.rawValue }
        Property("Status") { (object: ProviderObject) in object.configuration.status }
        Property("HoldModel") { (object: ProviderObject) in object.configuration.holdModel.rawValue }
        Property("DesktopEntry") { (object: ProviderObject) in object.configuration.desktopEntry }
        Property("SupportsTransfer") { (object: ProviderObject) in object.configuration.supportsTransfer }
        Property("SupportsVideo") { (object: ProviderObject) in object.configuration.supportsVideo }
        Property("SupportsAudioTranslation") { (object: ProviderObject) in
            object.configuration.supportsAudioTranslation
        }
        Property("MaximumCallGroups") { (object: ProviderObject) in object.configuration.maximumCallGroups }
        Property("MaximumCallsPerCallGroup") { (object: ProviderObject) in
            object.configuration.maximumCallsPerCallGroup
        }
        Property("IncludesCallsInRecents") { (object: ProviderObject) in object.configuration.includesCallsInRecents }
        Property("RingtoneSound") { (object: ProviderObject) in object.ringtone }
        Property("Icon") { (object: ProviderObject) in object.registered?.icon ?? "" }
        Property("Plugin", changes: .constant) { (object: ProviderObject) in object.plugin }
        Property("State") { (object: ProviderObject) in
            object.provider.isReady ? "ready" : "unavailable"
        }
        Property("CustomActions") { (object: ProviderObject) in
            object.configuration.customActions.map(\.wire)
        }
        Property("EmergencyNumbers") { (object: ProviderObject) in
            object.provider.emergencyNumbers
        }
        DeferredMethod("PerformCustomAction", in: ["id", "args"], out: ["result"]) {
            (object: ProviderObject, invocation: Invocation<VariantDictionary>, id: String, args: VariantDictionary) in
            try object.performCustomAction(id, args, invocation)
        }
    }

    /// A plugin's ringtone lies in its resource folder; an app names its own by its absolute name.
    private var ringtone: String {
        let name = configuration.ringtoneSound
        guard let folder = registered?.resourceFolder, !folder.isEmpty, !name.isEmpty, !name.hasPrefix("/") else {
            return name
        }
        return folder + "/" + name
    }

    private var plugin: ObjectPath {
        guard case .plugin(let id)? = registered?.owner else { return .root }
        return PluginObject.path(of: id)
    }

    /// Sent straight to the provider: the host has no part in it but the time limit.
    private func performCustomAction(
        _ id: String, _ args: VariantDictionary, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        guard configuration.customActions.contains(where: { $0.id == id }) else {
            throw CallError(.notSupported, "provider \(self.id) has no custom action \"\(id.displayable)\"")
        }
        guard provider.isReady, let peer = registered?.peer else {
            throw CallError(.unknownProvider, "provider \(self.id) is unavailable")
        }
        let owner = providers.clients.share(of: invocation.context)
        try providers.beginCustomAction(of: owner)
        let provider = self.id
        let timeout = providers.context.core.deadlines.duration(of: .customAction)
        peer.call(ProviderMember.Delegate.customAction, id, args, timeout: timeout) { [providers] result in
            providers.endCustomAction(of: owner)
            switch result {
            case .success(let message):
                do {
                    invocation.reply(try message.read(VariantDictionary.self))
                } catch {
                    invocation.fail(CallError(.actionFailed, "provider \(provider) answered with \(message.signature)"))
                }
            case .failure(let error): invocation.fail(Self.callError(error, provider, id, timeout))
            }
        }
    }

    private static func callError(
        _ error: DBusError, _ provider: ProviderID, _ id: String, _ timeout: Duration
    ) -> CallError {
        if let own = CallError(error), own.code != .actionFailed {
            return CallError(own.code, own.message.displayable)
        }
        switch error.name {
        case DBusError.Name.timeout:
            return CallError(.actionTimedOut, "provider \(provider) did not answer \(id) in \(timeout.milliseconds) ms")
        case _ where ProviderPeer.meansGone(error):
            return CallError(.providerCrashed, "provider \(provider) died during \(id)")
        default: return CallError(.actionFailed, "provider \(provider) refused \(id)", reason: error.words)
        }
    }
}
