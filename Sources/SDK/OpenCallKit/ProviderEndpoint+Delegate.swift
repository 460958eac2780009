// ProviderDelegate1, as this side serves it.

internal import CallModel
internal import DBus
internal import EventLoop
internal import CallWire

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
            ProviderMember.Delegate.perform, in: ["action_id", "kind", "args"], out: ["result"],
            reading: PerformArguments.self
        ) { (endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, arguments) in
            try HostConnection.shared.check(invocation.context)
            endpoint.perform(try PerformWire(arguments), invocation)
        }
        Method(ProviderMember.Delegate.timedOut, in: ["action_id"]) {
            (endpoint: ProviderEndpoint, context: CallContext, id: String) in
            try HostConnection.shared.check(context)
            guard let action = endpoint.open.timeOut(WireID(id)) else { return }
            endpoint.provider?.deliver { delegate, provider in
                delegate.provider(provider, timedOutPerforming: action)
            }
        }
        Method(ProviderMember.Delegate.transactionEnded, in: ["transaction", "failed"]) {
            (endpoint: ProviderEndpoint, context: CallContext, name: String, failed: Bool) in
            try HostConnection.shared.check(context)
            endpoint.endTransaction(WireID(name), failed: failed)
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
        let key = WireID.uuid(CallID(UUID.fresh()))
        let action = CXCustomAction(identifier: id, arguments: args.mapValues(CXValue.init)) { [weak self] outcome in
            Loop.shared.post { self?.open.answer(key, outcome) }
        }
        open.add(action, key, invocation)
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
