// ProviderEndpoint: one provider's end of the provider protocol.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Synchronization

/// Registers a provider, sends its reports, and takes the host's requests. Lives on the loop.
@LoopActor
final class ProviderEndpoint {
    typealias Answer = @LoopActor (Result<Message, DBusError>) -> Void
    typealias Report = @LoopActor (Result<ObjectPath, DBusError>) -> Void

    private enum Registration {
        case offline, underWay
        case done(ObjectPath)
        case over(DBusError)
    }

    /// How many reports can wait for the registration.
    private static let maximumWaiting = 1024
    /// How long they wait.
    private static let registrationTimeout = Duration.seconds(25)

    nonisolated let session: SDKSession
    private(set) weak var provider: CXProvider?
    private var path: ObjectPath?
    private var current: ProviderConfiguration
    private var registration = Registration.offline
    /// Counts the lost hosts; answers of an earlier host are ignored.
    private var era = 0
    private var waiting: [Report] = []
    /// Dropping it cancels it.
    private var registrationTimer: AnyObject?
    private let open = OpenActions()
    /// Whether a call of this provider has the audio.
    private var hasAudio = false
    /// Whether the delegate was told to end all calls, and has not been asked for anything since.
    private(set) var isReset = false

    /// This process's connection to callkitd.
    var connection: HostConnection { session.connection }

    /// What distinguishes it from the plugin's other providers.
    var key: String { current.key }

    nonisolated init(configuration: ProviderConfiguration, in session: SDKSession) {
        current = configuration
        self.session = session
    }

    func open(for provider: CXProvider) {
        self.provider = provider
        path = connection.add(self)
    }

    /// The object that stands for the provider at the host; nil before it is registered.
    private var hostPath: ObjectPath? { if case .done(let path) = registration { path } else { nil } }

    /// Registers with a host that has become reachable.
    func register() {
        guard case .offline = registration, let path else { return }
        registration = .underWay
        let host = connection
        var declared = current
        if declared.localizedName.isEmpty { declared.localizedName = host.programName }
        let era = era
        host.call(at: host.root, Contract.callSystem, ProviderMember.System.registerProvider, path, declared.wire) {
            result in
            guard self.era == era else { return }
            do throws(DBusError) {
                self.registered(at: try result.get().read(ObjectPath.self))
            } catch {
                Diagnostics.note("the provider was not registered: \(error.message)")
                guard case .underWay = self.registration else { return }
                // An unreachable host may appear later; one that refuses would refuse again.
                self.settle(host.isRemote && ErrorCode(anyName: error.name) == nil ? .offline : .over(error))
            }
        }
    }

    private func registered(at path: ObjectPath) {
        if case .underWay = registration {
            settle(.done(path))
        } else {
            // The provider was invalidated before it was registered.
            connection.call(at: path, Contract.providerHost, ProviderMember.Host.invalidate) { _ in }
        }
    }

    /// Forgets the host and all calls of this provider.
    func hostLost() {
        if case .over = registration { return }
        registration = .offline
        era += 1
        reset()
    }

    /// Calls `body` with the provider's object, once the host has registered it; in order.
    func whenRegistered(_ body: @escaping Report) {
        switch registration {
        case .done(let path): body(.success(path))
        case .over(let error): body(.failure(error))
        case .offline, .underWay:
            guard waiting.count < Self.maximumWaiting else {
                body(.failure(DBusError(DBusError.Name.limitsExceeded, "too many reports wait for the host")))
                return
            }
            waiting.append(body)
            guard registrationTimer == nil else { return }
            registrationTimer = connection.makeTimer(Self.registrationTimeout) { [weak self] in
                self?.release(.failure(DBusError(DBusError.Name.noReply, "there is no connection to callkitd")))
            }
        }
    }

    func supports(_ type: HandleType) -> Bool { current.supportedHandleTypes.contains(type) }

    func update(_ configuration: ProviderConfiguration) {
        current = configuration
        var declared = configuration
        if declared.localizedName.isEmpty { declared.localizedName = connection.programName }
        // A later registration carries the new values.
        if case .offline = registration { return }
        report(ProviderMember.Host.updateConfiguration, declared.wire)
    }

    /// - Parameter announcing: whether the delegate is told.
    func invalidate(announcing: Bool) {
        if case .over = registration { return }
        // A provider that is being registered is invalidated after that: see `registered(at:)`.
        // A host that has gone has forgotten it anyway.
        if hostPath != nil { report(ProviderMember.Host.invalidate) { _ in } }
        settle(.over(DBusError(ErrorCode.unknownProvider.busName, "the provider was invalidated")))
        if announcing { reset() } else { forgetActions() }
        connection.remove(self, at: path)
        path = nil
    }

    func reset() {
        isReset = true
        forgetActions()
        provider?.deliver { delegate, provider in delegate.providerDidReset(provider) }
    }

    private func forgetActions() {
        open.abandonAll()
        if hasAudio { session.audio.withLock { $0.grant(false) } }
        hasAudio = false
    }

    /// Sends a report, after those before it. Without an answer to give, a refusal is written to standard error.
    func report<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument, answer: Answer? = nil) {
        isReset = false
        let answer =
            answer ?? { result in
                if case .failure(let error) = result { Diagnostics.note("\(member) was refused: \(error.message)") }
            }
        let connection = connection
        whenRegistered { result in
            switch result {
            case .success(let path):
                connection.call(at: path, Contract.providerHost, member, repeat each arguments, reply: answer)
            case .failure(let error): answer(.failure(error))
            }
        }
    }

    private func settle(_ registration: Registration) {
        self.registration = registration
        switch registration {
        case .done(let path): release(.success(path))
        case .over(let error): release(.failure(error))
        case .offline, .underWay: break
        }
    }

    private func release(_ result: Result<ObjectPath, DBusError>) {
        registrationTimer = nil
        let waiting = waiting
        self.waiting = []
        for body in waiting { body(result) }
    }
}

// MARK: actions on their way to the delegate

extension ProviderEndpoint {
    /// Performs an action of the host. The delegate is asked about a transaction at the first of its actions.
    private func perform(_ wire: PerformWire, _ invocation: Invocation<VariantDictionary>) {
        isReset = false
        if case .following(let number) = wire.part,
            let due = open.begin(number, of: wire.transaction, id: wire.id, invocation)
        {
            due.action.timeOut(at: Date(wire: wire.deadline))
            if let early = due.early { return open.answer(due.action.uuid, early) }
            return hand(over: due.action, unless: due.turn?.verdict)
        }
        let action = CXCallAction.make(wire, answer: answer)
        open.add(action, id: wire.id, invocation)
        guard let provider else { return action.fail() }
        var actions: [CXAction] = [action]
        let verdict = OpenActions.Verdict()
        if case .first(let following) = wire.part { actions += announce(following, wire.transaction, verdict) }
        let transaction = CXTransaction(uuid: open.name(wire.transaction), actions: actions)
        provider.add(transaction)
        provider.deliver { delegate, provider in
            if delegate.provider(provider, execute: transaction) {
                verdict.isTaken = true
            } else {
                action.perform(by: delegate, of: provider)
            }
        } orElse: {
            Self.refuse(action)
        }
    }

    /// Passes the provider's answer to an action on, from any thread.
    private var answer: CXAction.Answer {
        { [weak self] action, outcome in
            Loop.shared.post { self?.open.answer(action, outcome) }
        }
    }

    /// Creates the later actions of a transaction.
    private func announce(
        _ following: [CallAction], _ transaction: String, _ verdict: OpenActions.Verdict
    ) -> [CXAction] {
        following.enumerated().map { index, model in
            let wire = PerformWire(id: "", action: model, transaction: transaction, deadline: 0)
            let action = CXCallAction.make(wire, answer: answer)
            action.timeOut(at: .distantFuture)
            open.announce(action, .init(transaction: transaction, number: UInt32(index) + 1, verdict: verdict))
            return action
        }
    }

    /// Ends a transaction, whose remaining actions have failed or are not needed.
    private func endTransaction(_ name: String, failed: Bool) {
        for entry in open.removeRest(of: name) {
            let action = entry.action
            guard failed else {
                action.abandon()
                continue
            }
            action.timeOut()
            provider?.deliver { delegate, provider in
                // A delegate that did not take the transaction has never seen the action.
                if entry.turn?.verdict.isTaken == true { delegate.provider(provider, timedOutPerforming: action) }
            }
        }
    }

    /// - Parameter verdict: on the transaction that the action was part of from the beginning.
    private func hand(over action: CXAction, unless verdict: OpenActions.Verdict? = nil) {
        guard let provider else { return action.fail() }
        provider.deliver { delegate, provider in
            if verdict?.isTaken != true { action.perform(by: delegate, of: provider) }
        } orElse: {
            Self.refuse(action)
        }
    }

    private nonisolated static func refuse(_ action: CXAction) {
        Diagnostics.note("\(action) was refused: the provider's delegate is gone")
        action.fail()
    }
}

// MARK: ProviderDelegate1, as this side serves it

extension ProviderEndpoint {
    static let delegateInterface = Interface<ProviderEndpoint>(Contract.providerDelegate) {
        Method(ProviderMember.Delegate.begin) { (endpoint: ProviderEndpoint, context: CallContext) in
            try endpoint.connection.check(context)
            endpoint.provider?.deliver { delegate, provider in delegate.providerDidBegin(provider) }
        }
        Method(ProviderMember.Delegate.reset) { (endpoint: ProviderEndpoint, context: CallContext) in
            try endpoint.connection.check(context)
            endpoint.reset()
        }
        DeferredMethod(
            ProviderMember.Delegate.perform,
            in: ["action", "kind", "call_uuid", "transaction", "deadline", "details"], out: ["result"]
        ) {
            (
                endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, id: String, kind: String,
                call: String, transaction: String, deadline: WallTime, details: VariantDictionary
            ) in
            try endpoint.connection.check(invocation.context)
            let wire = try PerformWire(
                id: id, kind: kind, call: call, transaction: transaction, deadline: deadline, details: details)
            endpoint.perform(wire, invocation)
        }
        Method(ProviderMember.Delegate.timedOut, in: ["action"]) {
            (endpoint: ProviderEndpoint, context: CallContext, id: String) in
            try endpoint.connection.check(context)
            guard let action = endpoint.open.timeOut(id) else { return }
            endpoint.provider?.deliver { delegate, provider in
                delegate.provider(provider, timedOutPerforming: action)
            }
        }
        Method(ProviderMember.Delegate.transactionEnded, in: ["transaction", "details"]) {
            (endpoint: ProviderEndpoint, context: CallContext, name: String, details: VariantDictionary) in
            try endpoint.connection.check(context)
            endpoint.endTransaction(name, failed: details["failed", default: false])
        }
        Method(ProviderMember.Delegate.audioSessionActivated, in: ["details"]) {
            (endpoint: ProviderEndpoint, context: CallContext, details: VariantDictionary) in
            try endpoint.connection.check(context)
            endpoint.activateAudio()
        }
        DeferredMethod(ProviderMember.Delegate.audioSessionDeactivated) {
            (endpoint: ProviderEndpoint, invocation: VoidInvocation) in
            try endpoint.connection.check(invocation.context)
            endpoint.deactivateAudio(invocation)
        }
        DeferredMethod(ProviderMember.Delegate.customAction, in: ["id", "args"], out: ["result"]) {
            (
                endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, id: String,
                args: VariantDictionary
            ) in
            try endpoint.connection.check(invocation.context)
            endpoint.customAction(id, args, invocation)
        }
        DeferredMethod(ProviderMember.Delegate.sendServiceCode, in: ["code", "details"], out: ["answer"]) {
            (endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, code: String, _: VariantDictionary)
            in
            try endpoint.serviceCode(code, isReply: false, invocation)
        }
        DeferredMethod(ProviderMember.Delegate.replyToServiceCode, in: ["reply", "details"], out: ["answer"]) {
            (endpoint: ProviderEndpoint, invocation: Invocation<VariantDictionary>, reply: String, _: VariantDictionary)
            in
            try endpoint.serviceCode(reply, isReply: true, invocation)
        }
        Method(ProviderMember.Delegate.cancelServiceCode) { (endpoint: ProviderEndpoint, context: CallContext) in
            try endpoint.connection.check(context)
            endpoint.provider?.deliver { delegate, provider in delegate.providerDidCancelServiceCode(provider) }
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

    private func serviceCode(
        _ text: String, isReply: Bool, _ invocation: Invocation<VariantDictionary>
    ) throws(CallError) {
        try connection.check(invocation.context)
        let action = CXServiceCodeAction(text: text, isReply: isReply, answer: answer)
        open.add(action, invocation)
        hand(over: action)
    }

    private func activateAudio() {
        hasAudio = true
        session.audio.withLock { $0.grant(true) }
        provider?.deliver { delegate, provider in
            delegate.provider(provider, didActivate: .sharedInstance())
        }
    }

    private func deactivateAudio(_ invocation: VoidInvocation) {
        hasAudio = false
        session.audio.withLock { $0.grant(false) }
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
