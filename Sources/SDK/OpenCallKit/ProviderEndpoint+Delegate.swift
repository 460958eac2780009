// ProviderDelegate1, as this side serves it.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

extension ProviderEndpoint {
    static let delegateInterface = Interface<ProviderEndpoint>(Contract.providerDelegate) {
        Method(ProviderMember.Delegate.begin) { (endpoint: ProviderEndpoint, context: CallContext) in
            try HostConnection.shared.check(context)
            endpoint.provider?.deliver { delegate, provider in delegate.providerDidBegin(provider) }
        }
        Method(ProviderMember.Delegate.reset) { (endpoint: ProviderEndpoint, context: CallContext) in
            try HostConnection.shared.check(context)
            endpoint.reset()
        }
        DeferredMethod(
            ProviderMember.Delegate.perform,
            in: ["action", "kind", "call_uuid", "transaction", "deadline", "details"], out: ["result"]
        ) {
            (
                endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, id: String, kind: String,
                call: String, transaction: String, deadline: UInt64, details: VariantDictionary
            ) in
            try HostConnection.shared.check(invocation.context)
            let wire = try PerformWire(
                id: id, kind: kind, call: call, transaction: transaction, deadline: deadline, details: details)
            endpoint.perform(wire, invocation)
        }
        Method(ProviderMember.Delegate.timedOut, in: ["action"]) {
            (endpoint: ProviderEndpoint, context: CallContext, id: String) in
            try HostConnection.shared.check(context)
            guard let action = endpoint.open.timeOut(id) else { return }
            endpoint.provider?.deliver { delegate, provider in
                delegate.provider(provider, timedOutPerforming: action)
            }
        }
        Method(ProviderMember.Delegate.transactionEnded, in: ["transaction", "details"]) {
            (endpoint: ProviderEndpoint, context: CallContext, name: String, details: VariantDictionary) in
            try HostConnection.shared.check(context)
            endpoint.endTransaction(name, failed: details["failed", default: false])
        }
        Method(ProviderMember.Delegate.audioSessionActivated, in: ["details"]) {
            (endpoint: ProviderEndpoint, context: CallContext, details: VariantDictionary) in
            try HostConnection.shared.check(context)
            endpoint.activateAudio()
        }
        DeferredMethod(ProviderMember.Delegate.audioSessionDeactivated) {
            (endpoint: ProviderEndpoint, invocation: VoidInvocation) in
            try HostConnection.shared.check(invocation.context)
            endpoint.deactivateAudio(invocation)
        }
        DeferredMethod(ProviderMember.Delegate.customAction, in: ["id", "args"], out: ["result"]) {
            (
                endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, id: String,
                args: VariantDictionary
            ) in
            try HostConnection.shared.check(invocation.context)
            endpoint.customAction(id, args, invocation)
        }
    }

    private func customAction(
        _ id: String, _ args: VariantDictionary, _ invocation: Invocation<VariantDictionary>
    ) {
        let action = CXCustomAction(
            identifier: id, arguments: args.mapValues(CXValue.init), answer: answer)
        open.add(action, invocation)
        hand(over: action)
    }

    private func activateAudio() {
        hasAudio = true
        AVAudioSession.sharedInstance().grant(true)
        provider?.deliver { delegate, provider in
            delegate.provider(provider, didActivate: .sharedInstance())
        }
    }

    private func deactivateAudio(_ invocation: VoidInvocation) {
        hasAudio = false
        AVAudioSession.sharedInstance().grant(false)
        guard let provider else {
            invocation.reply()
            return
        }
        let release: @Sendable () -> Void = { Loop.shared.post { invocation.reply() } }
        provider.deliver { delegate, provider in
            delegate.provider(provider, didDeactivate: .sharedInstance())
            release()
        } orElse: {
            release()
        }
    }
}
