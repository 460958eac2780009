// The shell around the core: its parts, how they are joined, and who carries out what.

package import CallCore
package import CallModel
import CallScenario
import CallWire
public import DBus
public import EventLoop
public import Logging

/// Owns the queue of facts and the parts that carry out what follows from them. Lives on the loop thread.
@LoopActor
public final class CallSystemHost {
    private let context: HostContext
    private let queue: FactQueue
    private let clients: Clients
    private let doNotDisturb: DoNotDisturb
    private let screening: Screeners
    private let audio: Audio
    private let calls: Calls
    private let earlyBus: EarlyBus
    private let providers: Providers
    private let store: Store
    private let plugins: PluginSupervisor
    private let accounts: AccountSupervisor
    /// Called once when everything has ended after `shutDown`.
    public var onStopped: (@LoopActor () -> Void)?

    /// Called with each fact and what followed from it, once that has been carried out.
    package var onStep: (@LoopActor (Step) -> Void)? {
        get { queue.onStep }
        set { queue.onStep = newValue }
    }

    /// Looks callers up; without it nothing is known of them.
    package weak var callerLookUp: (any CallerLookUp)? {
        didSet {
            let looksUp = callerLookUp != nil
            if looksUp != context.core.looksUp { context.submit(.lookUpAvailable(looksUp)) }
        }
    }

    public convenience init(configuration: HostConfiguration, log: Logger) {
        self.init(configuration: configuration, log: log, clock: SystemClock(log: log))
    }

    package init(configuration: HostConfiguration, log: Logger, clock: any HostClock) {
        let machine = CallMachine(
            deadlines: configuration.deadlines, limits: configuration.limits, policy: configuration.policy)
        queue = FactQueue(
            machine, clock: clock, log: log, stepLog: StepLog(log, keepsIdentities: configuration.logsIdentities))
        context = HostContext(configuration, log: log, clock: clock, queue: queue)
        clients = Clients(context)
        let reader = RequestReader(context: context, clients: clients)
        doNotDisturb = DoNotDisturb(context, clients)
        screening = Screeners(context, clients)
        audio = Audio(context, clients)
        calls = Calls(
            context, clients, DesktopAgentStarter(context, hasAudioAgent: { [audio] in audio.hasAgent }))
        earlyBus = EarlyBus(context)
        providers = Providers(
            context, clients, beforeIncomingCall: { [doNotDisturb] in doNotDisturb.reviewSchedule() },
            onRegistration: { [earlyBus] in earlyBus.admit() })
        store = Store(context, clients, screening, reader)
        plugins = PluginSupervisor(context, providers, store.supervisor)
        accounts = AccountSupervisor(context, plugins, providers)

        clock.onStep = { [weak doNotDisturb] in doNotDisturb?.reviewSchedule() }
        // What parts learn from those that come after them.
        clients.providers = providers
        clients.plugins = plugins
        providers.plugins = plugins
        providers.onChange = { [weak accounts] in accounts?.providersChanged() }
        earlyBus.arePluginsAwaited = { [weak plugins] in plugins?.areAwaited() == true }
        earlyBus.areObjectsAwaited = { [weak plugins, weak accounts] in
            plugins?.areAwaited { $0.hasSettled && accounts?.hasEnabled(of: $0.id) != true } == true
        }
        earlyBus.isStoreAwaited = { [weak store] in store?.supervisor.isAwaited == true }
        store.supervisor.onSettled = { [earlyBus] in earlyBus.admit() }
        store.onChange = { [weak self] in self?.storeChanged($0) }
        store.onDirectoryChanged = { [weak plugins] in plugins?.directories.changed($0) }
        plugins.serve = { [weak self] in self?.serveLink($0) }
        plugins.onChange = { [weak accounts] in accounts?.pluginChanged($0) }
        plugins.onGreeting = { [weak accounts] in accounts?.deliveries.deliver(to: $0) }
        plugins.onWorkerEnd = { [weak accounts] in accounts?.workerEnded($0) }
        plugins.onSettled = { [earlyBus] in earlyBus.admit() }
        queue.carryOut = { [weak self] in self?.carryOut($0, of: $1) }
        queue.onDecision = { [weak calls] in calls?.logStates($0) }
        queue.handleArrived = { [weak context, weak providers] in
            context?.bus?.handleArrived()
            providers?.handleArrived()
        }

        // Who may use what is shown, and what is there from the beginning.
        let tree = context.tree
        tree.permit = { [weak clients] use, caller throws(DBusError) in try clients?.permit(use, caller) }
        tree.conceal = { [weak clients] in clients?.concealment(for: $0) }
        tree.substitute = { [weak clients] in clients?.substitution(for: $0) }
        tree.explainMissing = { [weak calls] in calls?.explainMissing($0) }
        let root = CallSystemObject(
            context, reader, clients, calls, providers, screening, audio, doNotDisturb, earlyBus, store, plugins,
            health: { [weak self] in self?.health ?? [:] })
        tree.export(root, at: .system, CallSystemObject.interface, objectManager: true)
        tree.export(AccountsObject(accounts), at: .accounts, AccountsObject.interface)
        tree.export(AccessObject(clients), at: .access, AccessObject.interface)
    }

    // MARK: start and stop

    /// Starts the plugins and the store. The bus may come before or after.
    public func start() {
        clients.load()
        doNotDisturb.load()
        providers.choices.load()
        if store.isConfigured { context.submit(.lookUpExpected) }
        accounts.start()
        plugins.start()
        earlyBus.begin()
        store.start()
    }

    /// Ends every call and then every worker; `onStopped` follows.
    public func shutDown() {
        context.submit(.shutdownRequested)
        earlyBus.admit()
    }

    /// The core has ended every call: the workers end, then the keeper of secrets, then the store.
    private func stop() {
        plugins.stop { [weak self] in
            self?.accounts.stop()
            self?.store.stop { self?.onStopped?() }
        }
    }

    /// Calls are looked up only while somebody can answer.
    private func storeChanged(_ isReachable: Bool) {
        // Before the first question, so that it is answered with all that is known.
        if isReachable { plugins.tellStore() } else { plugins.directories.forget() }
        // After the stop nothing happens any more, recordings end with it.
        if !context.core.isLeaving { callerLookUp = isReachable ? store.lookUp : nil }
    }

    // MARK: channels

    /// Serves the objects on a bus connection, now and until it closes.
    public func serve(on bus: Bus) {
        context.bus = bus
        calls.serve(on: bus)
        clients.watchArrivals(on: bus)
        context.tree.serve(on: bus)
        context.tree.postpone = { [weak earlyBus] in earlyBus?.keep($0, on: $1) ?? false }
        receiveReplies(on: bus)
    }

    /// Serves a channel with what a bus has.
    ///
    /// - Parameters:
    ///   - guest: who is at its far end if messages from there show no sender. Like a plugin, it comes back under its name.
    ///   - announcing: whether the signals go there.
    package func serve(on channel: any MessageChannel, guest: String? = nil, announcing: Bool = false) {
        providers.set(guest.map { Guest(name: $0) }, on: channel)
        serveLink(channel, announcing: announcing)
    }

    /// Serves a link: what only links have, and otherwise what the bus has.
    ///
    /// - Parameter announcing: whether the signals of the bus go there too.
    private func serveLink(_ link: any MessageChannel, announcing: Bool = false) {
        let introductions = ObjectTree(
            invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
            limitsExceededErrorName: ErrorCode.invalidArguments.busName)
        introductions.permit = context.tree.permit
        introductions.export(
            WorkerHostObject(context, plugins, accounts, calls), at: .system, WorkerHostObject.interface)
        context.tree.serve(on: link, announcing: announcing)
        link.onCall = { [weak link, weak tree = context.tree] message in
            guard let link, let tree else { return }
            (message.interface == Contract.workerHost ? introductions : tree).handle(message, on: link)
        }
        receiveReplies(on: link)
    }

    /// Has the answers to actions, which nothing else waits for, received.
    private func receiveReplies(on channel: any MessageChannel) {
        channel.onUnmatchedReply = { [weak providers, weak channel] message in
            if let channel { providers?.receiveReply(message, on: channel) }
        }
    }

    /// The channel is closed: what the guest was provider of has died.
    package func guestLeft(_ channel: any MessageChannel) { providers.guestLeft(channel) }

    /// Says whether a guest counts as a plugin that came with the system, and whose share its providers count towards.
    package func set(isPackaged: Bool, owner: Owner? = nil, guest channel: any MessageChannel) {
        guard let guest = providers.guest(on: channel) else { return }
        providers.set(Guest(name: guest.name, isPackaged: isPackaged, owner: owner), on: channel)
    }

    /// The bus itself went away, and with it every client and every app that was a provider.
    public func loseBus() {
        context.bus = nil
        clients.forgetAll()
        screening.loseAll()
        audio.loseAgent()
        doNotDisturb.loseSources()
        providers.loseApps()
    }

    /// Removes the folder of icons if it is not that of the session, which the session removes.
    public func removeOwnIcons() { providers.removeOwnIcons() }

    /// The calls as they are now.
    package var presentCalls: [Call] { Array(context.core.calls.values) }

    /// The providers that can take calls now.
    package var readyProviders: Set<ProviderID> { Set(context.core.providers.filter(\.value.isReady).keys) }

    /// Takes in what nobody outside could have brought about. Nobody waits for what it is answered.
    package func submitUnasked(_ input: Input) {
        switch input {
        case .reported(let report, let provider, _): context.submit(report, by: provider) { _ in }
        case .requested(let request, _): context.ask(request) { _ in }
        default: context.submit(input)
        }
    }

    // MARK: effects

    /// Carries one effect out. After the callers and the bus, the store is told.
    private func carryOut(_ effect: Effect, of step: Step) {
        switch effect {
        case .perform(let action): providers.perform(action)
        case .timedOut(let action, let provider):
            providers.tell(provider, ProviderMember.Delegate.timedOut, context.identifiers.text(of: action))
        case .transactionEnded(let transaction, let provider, let failed):
            let details: VariantDictionary = ["failed": .bool(failed)]
            let id = context.identifiers.text(of: transaction)
            providers.tell(provider, ProviderMember.Delegate.transactionEnded, id, details)
        case .reply(let id, let reply):
            if case .failed(let error) = reply, error.code == .limitsExceeded { clients.countRefusal() }
            queue.answer(id, with: reply)
        case .lookUp(let id, let handle):
            callerLookUp?.lookUp(handle, for: id) { [context] in
                var facts = $0
                facts.caller = Caller(handle)
                context.submit(.lookedUp(id, facts))
            }
        case .screen(let call, let screener): screening.screen(call, by: screener)
        case .callAdded(let call):
            calls.add(call)
            store.opened(call, at: step.moment)
        case .callChanged(let call, let changes):
            calls.change(call, changes, inTime: step.input.isUpdate && changes.areDetails)
            store.changed(call, changes, at: step.moment)
        case .callRemoved(let id): calls.remove(id)
        case .callEnded(let id, let reason, let origin):
            calls.ended(id, reason, by: origin)
            plugins.callEnded()
        case .callFiltered(let call): store.filtered(call)
        case .activeCallChanged(let id): calls.announce(activeCall: id)
        case .ringingCallChanged(let id): calls.announce(ringingCall: id)
        case .suggestedResumeChanged(let id): calls.announce(suggestedResume: id)
        case .resumeSuggested(let id): calls.suggestResume(id)
        case .anomaly(let anomaly): report(anomaly)
        case .providerAdded(let provider): providers.add(provider)
        case .providerChanged(let provider): providers.change(provider)
        case .providerRemoved(let id): providers.remove(id)
        case .reset(let id): providers.tell(id, ProviderMember.Delegate.reset)
        case .activateAudio(let id, let call):
            let details: VariantDictionary = ["call-uuid": .string(call.description)]
            providers.tell(id, ProviderMember.Delegate.audioSessionActivated, details)
        case .deactivateAudio(let id): providers.deactivateAudio(id)
        case .prepareAudio(let agent, let provider, let call, let isSwitching):
            audio.prepare(agent, for: provider, call, isSwitching: isSwitching)
        case .finishAudio(let agent): audio.finish(agent)
        case .audioChanged(let grant): audio.announce(grant)
        case .arm(let timer, let moment): queue.arm(timer, at: moment)
        case .disarm(let timer): queue.disarm(timer)
        case .stop: stop()
        }
    }

    private func report(_ anomaly: Anomaly) {
        let object =
            switch anomaly.subject {
            case .call(let id): ObjectPath.call(id)
            case .provider(let id): ObjectPath.provider(id)
            case .system: ObjectPath.system
            }
        context.anomaly(anomaly.kind.rawValue, object, anomaly.text, by: owner(of: anomaly.subject))
    }

    private func owner(of subject: Anomaly.Subject) -> Owner? {
        switch subject {
        case .call(let id): context.core.calls[id].flatMap { context.core.providers[$0.provider]?.owner }
        case .provider(let id): context.core.providers[id]?.owner
        case .system: nil
        }
    }

    // MARK: how the daemon fares

    /// The value of the property `Health`.
    private var health: VariantDictionary {
        let files = context.settingsProblems.sorted { $0.key < $1.key }.map(\.value)
        return [
            "loop-lag-ms": .uint32(UInt32(clamping: Loop.shared.lag.milliseconds)),
            "calls-waiting": .uint32(UInt32(clamping: context.bus?.waitingCalls ?? 0)),
            "requests-waiting": .uint32(UInt32(clamping: queue.awaitedReplies)),
            "bytes-to-send": .uint64(UInt64(context.bus?.queuedBytes ?? 0)),
            "refused": .uint64(clients.refused),
            "quarantined": Variant(plugins.quarantined),
            "silent": Variant(silent),
            "degraded": .string(store.degraded),
            "files": Variant(files),
        ]
    }

    /// Who did not answer the last question in time, so that nobody waits for it.
    private var silent: [String] {
        context.core.silentProviders.map(\.rawValue)
            + context.core.silentScreeners.map { "screener \(screening.name(of: $0))" }
            + (context.core.audio.isAgentSilent ? ["audio agent"] : [])
    }

    /// Whether a call has not ended yet.
    package var hasLiveCalls: Bool { !context.core.calls.live.isEmpty }

    /// Records from now on if the configuration says where; to be called before anything has happened.
    ///
    /// - Throws: If the file cannot be written. If it cannot be written later, that is logged and the recording ends.
    public func startRecording() throws(SystemError) {
        guard let path = context.configuration.recordPath else { return }
        let scenario = Scenario(
            title: "Recorded by callkitd \(OpenCallKitVersion.text)", rules: [], policy: context.configuration.policy,
            deadlines: context.configuration.deadlines, limits: context.core.limits, blocks: [])
        try queue.record(to: path, Recording(scenario, keepsIdentities: context.configuration.recordsIdentities))
    }
}

extension Input {
    /// Whether a provider tells more of a call, as often as it likes.
    fileprivate var isUpdate: Bool {
        if case .reported(.updated, _, _) = self { true } else { false }
    }
}

extension CallChanges {
    /// Whether the call is in the same state as before, for its user and for other calls.
    fileprivate var areDetails: Bool { isDisjoint(with: Self.ofItsState) }

    private static let ofItsState = CallChanges(
        CallProperty.state, CallProperty.heldBy, CallProperty.muted, CallProperty.group, CallProperty.startedAt,
        CallProperty.connectedAt, CallProperty.endedAt, CallProperty.ringMode, CallProperty.emergency)
}
