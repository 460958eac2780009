// ProviderDelegate1, as this side serves it.

internal import CallModel
internal import DBus
internal import EventLoop
internal import ProviderLink

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
            try endpoint.perform(arguments, invocation)
        }
        Method(ProviderMember.Delegate.timedOut, in: ["action_id"]) {
            (endpoint: ProviderEndpoint, context: CallContext, id: String) in
            try HostConnection.shared.check(context)
            guard let action = endpoint.open.timeOut(id) else { return }
            endpoint.provider?.deliver { delegate, provider in
                delegate.provider(provider, timedOutPerforming: action)
            }
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

    private func perform(_ arguments: PerformArguments, _ invocation: Invocation<VariantDictionary>) throws {
        let wire = try PerformWire(arguments)
        let id = wire.id
        let action = CXCallAction.make(wire) { [weak self] outcome in
            Loop.shared.post { self?.open.answer(id, outcome) }
        }
        hand(over: action, id, invocation, transaction: UUID(text: wire.transaction) ?? .fresh())
    }

    private func customAction(
        _ id: String, _ args: VariantDictionary, _ invocation: Invocation<VariantDictionary>
    ) {
        let key = UUID.fresh().uuidString
        let action = CXCustomAction(identifier: id, arguments: args.mapValues(CXValue.init)) { [weak self] outcome in
            Loop.shared.post { self?.open.answer(key, outcome) }
        }
        hand(over: action, key, invocation, transaction: nil)
    }

    /// - Parameter transaction: nil for an action outside transactions.
    private func hand(
        over action: CXAction, _ id: String, _ invocation: Invocation<VariantDictionary>, transaction: UUID?
    ) {
        open.add(action, id, invocation)
        guard let provider else {
            action.fail()
            return
        }
        let transaction = transaction.map { CXTransaction(uuid: $0, actions: [action]) }
        if let transaction { provider.add(transaction) }
        provider.deliver { delegate, provider in
            if let transaction, delegate.provider(provider, execute: transaction) { return }
            action.perform(by: delegate, of: provider)
        } orElse: {
            Diagnostics.note("\(action) was refused: the provider's delegate is gone")
            action.fail()
        }
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
