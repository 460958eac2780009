// org.opencallkit.Provider1: what a provider declares about itself, its own buttons, and service codes.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension ProviderObject {
    static let providerInterface = Interface<ProviderObject>(Contract.provider) {
        PublishedProvider.properties(for: .everybody) { (object: ProviderObject) in object.published }
        DeferredMethod("PerformCustomAction", in: ["id", "args"], out: ["result"]) {
            (object: ProviderObject, invocation: Invocation<VariantDictionary>, id: String, args: VariantDictionary) in
            try object.performCustomAction(id, args, invocation)
        }
        DeferredMethod("SendServiceCode", in: ["code", "options"], out: ["answer"]) {
            (
                object: ProviderObject, invocation: Invocation<VariantDictionary>, code: String,
                options: VariantDictionary
            ) in
            object.providers.clients.noteUnknownKeys(in: options, besides: [], from: invocation.context)
            try object.providers.serviceCodes.send(code, with: object.provider, invocation)
        }
        DeferredMethod("ReplyToServiceCode", in: ["reply", "options"], out: ["answer"]) {
            (
                object: ProviderObject, invocation: Invocation<VariantDictionary>, reply: String,
                options: VariantDictionary
            )
            in
            object.providers.clients.noteUnknownKeys(in: options, besides: [], from: invocation.context)
            try object.providers.serviceCodes.reply(reply, to: object.provider, invocation)
        }
        Method("CancelServiceCode") { (object: ProviderObject, context: CallContext) in
            object.providers.serviceCodes.cancel(at: object.id, by: context)
        }
    }

    /// Sent straight to the provider: the host has no part in it but the time limit.
    private func performCustomAction(
        _ id: String, _ args: VariantDictionary, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        guard published.configuration.customActions.contains(where: { $0.id == id }) else {
            throw CallError(.notSupported, "provider \(self.id) has no custom action \"\(id.displayable)\"")
        }
        guard published.state == .ready, let peer = registered?.peer else {
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
