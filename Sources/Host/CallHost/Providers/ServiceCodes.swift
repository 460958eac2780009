// ServiceCodes: the exchanges of clients with the networks behind providers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// A provider has one exchange at most. Only the client that began it reads the answers and replies; nothing is kept of
/// them, and no call waits.
@LoopActor
final class ServiceCodes {
    @LoopActor
    private final class Exchange {
        let channel: any MessageChannel
        /// The client's name on the bus.
        let client: String?
        let registered: RegisteredProvider
        /// Waits for the network; nil while the network waits for the client.
        var question: Invocation<VariantDictionary>?
        /// Ends what lasts too long. Dropping it cancels it.
        var timer: AnyObject?
        /// Ends the exchange when the client leaves the bus.
        var watch: NameWatch?

        init(_ caller: CallContext, _ registered: RegisteredProvider) {
            (channel, client) = (caller.channel, caller.sender)
            self.registered = registered
        }

        func isOf(_ caller: CallContext) -> Bool { caller.channel === channel && caller.sender == client }
    }

    private unowned let providers: Providers
    private var exchanges: [ProviderID: Exchange] = [:]

    private var context: HostContext { providers.context }

    init(of providers: Providers) { self.providers = providers }

    /// Begins an exchange.
    ///
    /// - Throws: `InvalidArguments` if the text is no service code, or is an emergency number; `NotSupported` if the provider
    ///   sends no codes; `UnknownProvider`; `InvalidAction` if the provider has a code under way; `LimitsExceeded`.
    func send(
        _ text: String, with provider: Provider, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        let code = try ServiceCode(parsing: text)
        guard try !context.core.isEmergency(Handle(type: .phoneNumber, value: code.text)) else {
            throw CallError(.invalidArguments, "this is an emergency number, expected a service code: call it")
        }
        guard provider.configuration.supportsServiceCodes else {
            throw CallError(.notSupported, "provider \(provider.id) sends no service codes")
        }
        let registered = try reachable(provider)
        if let other = exchanges[provider.id], other.registered === registered {
            let whose = other.isOf(invocation.context) ? "of yours" : "of another client"
            throw CallError(.invalidAction, "provider \(provider.id) has a service code \(whose) under way")
        }
        let exchange = Exchange(invocation.context, registered)
        exchange.watch = exchange.client.flatMap { client in
            context.bus?.watchName(
                client, appeared: { _ in }, vanished: { [weak self] in self?.cancel(exchange, "its client has left") })
        }
        exchanges[provider.id] = exchange
        do throws(CallError) {
            try ask(exchange, ProviderMember.Delegate.sendServiceCode, code.text, invocation)
        } catch {
            forget(exchange)
            throw error
        }
    }

    /// - Throws: `InvalidArguments`; `UnknownProvider`; `InvalidAction` if no exchange of the caller waits for a reply;
    ///   `LimitsExceeded`.
    func reply(
        _ text: String, to provider: Provider, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        try ServiceCode.check(reply: text)
        let registered = try reachable(provider)
        guard let exchange = exchanges[provider.id], exchange.registered === registered,
            exchange.isOf(invocation.context), exchange.question == nil
        else {
            throw CallError(.invalidAction, "no service code of yours at provider \(provider.id) waits for a reply")
        }
        try ask(exchange, ProviderMember.Delegate.replyToServiceCode, text, invocation)
    }

    /// Ends the caller's exchange, if there is one.
    func cancel(at provider: ProviderID, by caller: CallContext) {
        guard let exchange = exchanges[provider], exchange.isOf(caller) else { return }
        cancel(exchange, "it was cancelled")
    }

    /// The bus went away, and with it every client.
    func loseClients() {
        for exchange in exchanges.values where exchange.client != nil { cancel(exchange, "its client has left") }
    }

    // MARK: the way of a question

    private func reachable(_ provider: Provider) throws(CallError) -> RegisteredProvider {
        guard provider.isReady, let registered = providers[provider.id] else {
            throw CallError(.unknownProvider, "provider \(provider.id) is unavailable")
        }
        return registered
    }

    private func ask(
        _ exchange: Exchange, _ member: String, _ text: String, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        let owner = providers.clients.share(of: invocation.context)
        try providers.beginCustomAction(of: owner)
        exchange.question = invocation
        expire(exchange)
        let timeout = context.core.deadlines.duration(of: .serviceCode) + Self.spare
        exchange.registered.peer.call(member, text, VariantDictionary(), timeout: timeout) {
            [weak self, providers] result in
            providers.endCustomAction(of: owner)
            // An exchange that is over has been answered.
            if exchange.question === invocation { self?.answer(invocation, of: exchange, result) }
        }
    }

    /// How much longer than its deadline an exchange keeps the provider's call.
    private static let spare = Duration.seconds(5)

    private func answer(
        _ invocation: Invocation<VariantDictionary>, of exchange: Exchange, _ result: Result<Message, DBusError>
    ) {
        exchange.question = nil
        let id = exchange.registered.id
        do throws(CallError) {
            let answer = try Self.answer(result, of: id)
            invocation.reply(answer.wire)
            if answer.asks { expire(exchange) } else { forget(exchange) }
        } catch {
            invocation.fail(error)
            forget(exchange)
        }
    }

    private static func answer(
        _ result: Result<Message, DBusError>, of provider: ProviderID
    ) throws(CallError) -> ServiceAnswer {
        switch result {
        case .success(let message):
            guard let wire = try? message.read(VariantDictionary.self), let answer = try? ServiceAnswer(wire: wire)
            else {
                throw CallError(.actionFailed, "provider \(provider) did not answer the service code as it must")
            }
            return answer
        case .failure(let error) where ProviderPeer.meansGone(error):
            throw CallError(.providerCrashed, "provider \(provider) died during the service code")
        case .failure(let error):
            throw CallError(.actionFailed, "provider \(provider) refused the service code", reason: error.words)
        }
    }

    /// The network has to answer, or the client to reply, by the deadline that begins now.
    private func expire(_ exchange: Exchange) {
        let now = context.clock.now
        let deadline = context.core.deadlines[.serviceCode]
        let end = Instant(uptime: now.uptime + UInt64(deadline) * 1_000, date: now.date)
        exchange.timer = context.clock.timer(at: end) { [weak self] in
            let provider = exchange.registered.id
            exchange.question?.fail(
                CallError(
                    .actionTimedOut, "provider \(provider) did not answer the service code in \(deadline) ms"))
            self?.cancel(exchange, "it took too long")
        }
    }

    private func cancel(_ exchange: Exchange, _ why: String) {
        exchange.question?.fail(CallError(.actionFailed, "the service code is over: \(why)"))
        exchange.question = nil
        forget(exchange)
        // A provider that cannot be told has gone.
        try? exchange.registered.peer.notify(ProviderMember.Delegate.cancelServiceCode)
    }

    private func forget(_ exchange: Exchange) {
        exchange.timer = nil
        exchange.watch?.cancel()
        exchange.watch = nil
        if exchanges[exchange.registered.id] === exchange { exchanges[exchange.registered.id] = nil }
    }
}
