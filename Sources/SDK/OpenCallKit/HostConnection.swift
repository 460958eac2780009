// HostConnection: this process's connection to callkitd.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Carries the provider protocol: over a private link in a plugin's worker, over the session bus in an app. The messages
/// are the same. Lives on the loop.
@LoopActor
final class HostConnection {
    /// Makes a timer. Dropping it cancels it.
    typealias TimerMaking = @LoopActor (Duration, @escaping @LoopActor () -> Void) -> AnyObject

    private static let replyTimeout = Duration.seconds(25)
    /// For a request that is answered when it is performed: each of its actions has the host's deadline.
    private static let performanceTimeout = Duration.seconds(600)

    let root = ObjectPath.system
    /// The calls of the machine, for the observers of this process.
    private(set) lazy var watch = CallWatch(on: self)
    private let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)
    private var endpoints: [ProviderEndpoint] = []
    private var endpointCount = 0
    private var channel: (any MessageChannel)?
    private var bus: HostBus?
    private let isInTest: Bool
    /// Waits by the loop's clock, or by a test's.
    let makeTimer: TimerMaking
    /// Shown for a provider without a name: the plugin's id, or the program's name.
    var programName: String

    /// - Parameter makeTimer: makes the timers of a test, which has its host in the same process; nil for none.
    init(timersOfTest makeTimer: TimerMaking? = nil) {
        isInTest = makeTimer != nil
        self.makeTimer = makeTimer ?? { LoopTimer(after: $0, handler: $1) }
        let program = CommandLine.arguments.first ?? ""
        programName = program.split(separator: "/").last.map(String.init) ?? "provider"
    }

    /// Whether the host may be missing for a while: over a bus, or in a test.
    var isRemote: Bool { bus != nil || isInTest }

    /// Whether it has a host, looks for one, or is a test's.
    var isInUse: Bool { channel != nil || isRemote }

    /// The queues of the providers' delegates.
    var queues: [DispatchQueue] { endpoints.compactMap { $0.provider?.queue } }

    /// Uses `channel` from now on: the link of a worker, or the bus, whenever there is a new one.
    func attach(_ channel: any MessageChannel) {
        self.channel = channel
        tree.serve(on: channel)
        watch.attached(channel)
    }

    /// Serves what a worker's host calls beside its providers.
    func serveWorker(of session: SDKSession) {
        tree.export(AccountsDelegateObject(session), at: root, AccountsDelegateObject.interface)
        tree.export(WorkerDelegateObject(session), at: root, WorkerDelegateObject.interface)
    }

    /// The providers whose configuration has one of these keys.
    func endpoints(withKeys keys: Set<String>) -> [ProviderEndpoint] {
        endpoints.filter { keys.contains($0.key) }
    }

    /// Registers the providers that are not registered yet.
    func registerAll() {
        for endpoint in endpoints { endpoint.register() }
    }

    /// Ends all calls and registrations, since the host is gone.
    func hostLost() {
        watch.hostLost()
        for endpoint in endpoints { endpoint.hostLost() }
    }

    /// This process is about to end: the delegates that do not know it yet are told to end all calls.
    func leave() {
        for endpoint in endpoints where !endpoint.isReset { endpoint.reset() }
    }

    func detach() {
        if let channel { tree.unserve(channel) }
        channel = nil
    }

    /// Invalidates all providers. Their delegates are not told.
    func invalidateAll() {
        for endpoint in endpoints { endpoint.invalidate(announcing: false) }
    }

    /// - Returns: the path of the delegate object.
    func add(_ endpoint: ProviderEndpoint) -> ObjectPath? {
        endpointCount += 1
        guard let path = ObjectPath("/org/opencallkit/delegates/\(endpointCount)") else { return nil }
        tree.export(endpoint, at: path, ProviderEndpoint.delegateInterface)
        endpoints.append(endpoint)
        openIfNeeded()
        if channel != nil { Loop.shared.post { endpoint.register() } }
        return path
    }

    func remove(_ endpoint: ProviderEndpoint, at path: ObjectPath?) {
        endpoints.removeAll { $0 === endpoint }
        if let path { tree.remove(path) }
    }

    /// - Throws: `AccessDenied` unless the host called.
    func check(_ context: CallContext) throws(CallError) {
        guard let bus else { return }
        guard let sender = context.sender, sender == bus.hostOwner else {
            throw CallError(.accessDenied, "only callkitd may call \(context.path)")
        }
    }

    /// Requests actions, and answers when they are accepted or performed, as the options say. A call is started with this
    /// process's own provider, if it has one; of several, with the first that declares the handle's type.
    func request(_ actions: [CallAction], _ options: RequestOptions, answer: @escaping ProviderEndpoint.Answer) {
        openIfNeeded()
        guard let endpoint = endpoint(for: actions) else {
            whenReachable { self.send(actions, options, from: nil, answer: answer) }
            return
        }
        endpoint.whenRegistered { result in
            let path = try? result.get()
            self.send(actions, options, from: path.flatMap { Contract.provider(at: $0.text) }, answer: answer)
        }
    }

    private func endpoint(for actions: [CallAction]) -> ProviderEndpoint? {
        for case .start(_, let start) in actions where start.provider == nil {
            if let endpoint = endpoints.first(where: { $0.supports(start.handle.type) }) { return endpoint }
        }
        return endpoints.first
    }

    private func send(
        _ actions: [CallAction], _ options: RequestOptions, from provider: ProviderID?,
        answer: @escaping ProviderEndpoint.Answer
    ) {
        let actions = actions.map { action in
            guard case .start(let call, var start) = action, start.provider == nil else { return action }
            start.provider = provider
            return .start(call, start)
        }
        call(
            at: root, Contract.callSystem, ProviderMember.System.requestTransaction,
            TransactionWire.entries(of: actions), options.wire,
            timeout: options.replyMode == .performed ? Self.performanceTimeout : Self.replyTimeout,
            reply: answer)
    }

    /// Tells the host that a provider has answered an action twice. Only the host of a worker accepts this.
    func reportSecondAnswer(to action: UUID) {
        guard !isRemote, channel != nil else { return }
        call(
            at: root, Contract.workerHost, ProviderMember.System.reportSecondAnswer, CallID(action).description
        ) { _ in }
    }

    func call<each Argument: DBusType>(
        at path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        timeout: Duration = replyTimeout, reply: @escaping ProviderEndpoint.Answer
    ) {
        guard let channel else {
            reply(.failure(DBusError(DBusError.Name.disconnected, "there is no connection to callkitd")))
            return
        }
        do throws(DBusError) {
            let destination = bus == nil ? nil : Contract.busName
            let message = try Message.call(to: destination, at: path, interface, member, repeat each arguments)
            channel.call(message, timeout: timeout, reply: reply)
        } catch {
            // An argument contains a NUL.
            let isArgument = error.name == DBusError.Name.invalidArgs
            reply(.failure(isArgument ? CallError(.invalidArguments, error.message).dbusError : error))
        }
    }

    /// Connects to the session bus, unless this process is a worker or runs a test.
    func openIfNeeded() {
        guard !isInUse else { return }
        let bus = HostBus(self)
        self.bus = bus
        bus.start()
    }

    func whenReachable(_ body: @escaping @LoopActor () -> Void) {
        openIfNeeded()
        guard let bus, channel == nil else {
            body()
            return
        }
        bus.whenConnected(body)
    }
}
