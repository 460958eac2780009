// StoreSupervisor: keeps callkit-store running and forwards to it the requests that it answers.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

/// The store as the host sees it: reachable or absent. No request waits for it longer than its deadline.
@LoopActor
final class StoreSupervisor {
    typealias Facts = Result<VariantDictionary, DBusError>

    private let context: HostContext
    unowned let clients: any ClientGate
    private let process = SupervisedProcess(
        BackOff(pauses: [
            .zero, .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10),
            .seconds(30),
        ]), pingDeadline: .seconds(5),
        startDeadline: StoreSupervisor.startDeadline)
    private var isStopping = false
    /// The requests of clients that the store answers.
    private let requests = StoreTurns()
    /// What must be known before clients' own calls are started. It does not wait for their requests.
    private let choices = StoreTurns()
    private var onStopped: (@LoopActor () -> Void)?

    /// Whether the store has answered since it was last started.
    private(set) var isReachable = false
    /// Whether it has said what is shown of it, since the daemon's start.
    private(set) var hasIntroducedItself = false
    /// Why the store is not reachable; "" while it is reachable, and while it is being started for the first time.
    private(set) var absence = ""
    /// Called when `isReachable` has changed.
    var onChange: @LoopActor (Bool) -> Void = { _ in }
    /// Called when `absence` has changed.
    var onAbsence: @LoopActor () -> Void = {}
    /// Called when it may not be awaited any more.
    var onSettled: @LoopActor () -> Void = {}
    /// Called with the signals of the store.
    var onSignal: (@LoopActor (Message) -> Void)?

    /// How long the store may read its files when it starts: a hundred thousand rules take seconds.
    private static let startDeadline = Duration.seconds(30)
    /// How long a request may take, from its arrival.
    private static let requestTimeout = Duration.seconds(20)

    init(_ context: HostContext, _ clients: any ClientGate) {
        self.context = context
        self.clients = clients
        process.delegate = self
    }

    /// The link to the store; nil while the store is not reachable.
    var link: PrivateLink? { isReachable ? process.link : nil }

    /// Whether it is being started for the first time.
    var isAwaited: Bool {
        !isStopping && !hasIntroducedItself && absence.isEmpty && context.configuration.storePath != nil
    }

    /// The store has said what is shown of it.
    func introduced() {
        hasIntroducedItself = true
        onSettled()
    }

    func start() {
        guard !isStopping else { return }
        guard context.configuration.storePath != nil else { return lose("callkitd runs without callkit-store") }
        process.start()
    }

    /// Ends the store, which first writes everything to its file, and calls `then` when it has ended.
    func stop(then: @escaping @LoopActor () -> Void) {
        isStopping = true
        process.stop()
        guard process.isRunning else { return then() }
        onStopped = then
    }

    // MARK: requests

    /// Asks what is known of a caller. Calls `then` once, after this returns.
    ///
    /// - Parameter handle: The caller's handle; nil if the caller withholds it.
    func lookUp(_ handle: Handle?, timeout: Duration, then: @escaping @LoopActor (Facts) -> Void) {
        call(
            PrivateMember.Store.lookUp, handle?.type.rawValue ?? "", handle?.value ?? "",
            timeout: timeout
        ) {
            [weak self] result in
            if case .failure(let error) = result, error.name == DBusError.Name.timeout { self?.process.ping() }
            then(
                result.flatMap { message in Facts { () throws(DBusError) in try message.read(VariantDictionary.self) } }
            )
        }
    }

    /// Asks which provider a handle is called with. Passes nil if none is known, if there is no answer in time, or if the
    /// requester asks too often.
    ///
    /// - Parameter before: called before the question is asked.
    func preferredProvider(
        of handle: Handle, for owner: Owner, timeout: Duration, before: @escaping @LoopActor () -> Void,
        then: @escaping @LoopActor (ProviderID?) -> Void
    ) {
        do throws(CallError) {
            try choices.add(of: "\(owner)") { [weak self] done in
                guard let self else { return done() }
                before()
                call(
                    PrivateMember.Store.preferredProvider, handle.type.rawValue, handle.value,
                    timeout: timeout
                ) { result in
                    let id = try? result.get().read(String.self)
                    then(id.flatMap { ProviderID($0) })
                    done()
                }
            }
        } catch {
            then(nil)
        }
    }

    /// Calls a method of the store's own interface for a client, when it is the client's turn.
    ///
    /// - Parameters:
    ///   - isAwaited: whether the client's next request waits for the answer.
    ///   - before: called before the method.
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeout: Duration, for caller: CallContext,
        isAwaited: Bool = true, before: @escaping @LoopActor () -> Void = {},
        then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do {
            let message = try Message.call(at: .store, Contract.store, member, repeat each arguments)
            try requests.add(
                of: "\(clients.share(of: caller))", bytes: message.argumentBytes, isAwaited: isAwaited
            ) { [weak self] done in
                guard let self else { return done() }
                before()
                call(message, timeout) { result in
                    then(result)
                    done()
                }
            }
        } catch {
            Loop.shared.post { then(.failure(DBusError(converting: error))) }
        }
    }

    /// Calls a method of the store's own interface.
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeout: Duration,
        then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            call(try Message.call(at: .store, Contract.store, member, repeat each arguments), timeout, then)
        } catch {
            Loop.shared.post { then(.failure(error)) }
        }
    }

    private func call(
        _ message: Message, _ timeout: Duration,
        _ then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        guard let link else { return Loop.shared.post { [unavailable] in then(.failure(unavailable.dbusError)) } }
        link.call(message, timeout: timeout, reply: then)
    }

    /// Forwards a call that came over the bus to the object of the same path in the store, when it is its client's turn.
    ///
    /// While the store is being started for the first time, the call waits in the link: it may be the call for which
    /// D-Bus activated the daemon.
    ///
    /// - Parameter before: called before the call is forwarded.
    func forward(_ caller: CallContext, before: @escaping @LoopActor () -> Void = {}) throws(CallError) {
        guard requestLink != nil else { throw unavailable }
        let deadline = MonotonicTime.now.advanced(by: Self.requestTimeout)
        try requests.add(of: "\(clients.share(of: caller))", bytes: caller.message.argumentBytes) { [weak self] done in
            guard let self else { return done() }
            guard let link = requestLink else {
                VoidInvocation(caller).fail(unavailable)
                return done()
            }
            before()
            caller.forward(
                to: link, timeout: max(.milliseconds(1), deadline.duration(since: .now)),
                explain: { error in
                    error.name == DBusError.Name.limitsExceeded
                        ? CallError(.limitsExceeded, "the arguments are too long: \(error.message)")
                        : CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)")
                }, done: done)
        }
    }

    /// Where requests go: to a store that is reachable, or is being started for the first time.
    private var requestLink: PrivateLink? { link ?? (absence.isEmpty ? process.link : nil) }

    var unavailable: CallError {
        CallError(.storeUnavailable, absence.isEmpty ? "callkit-store is being started" : absence)
    }
}

extension StoreSupervisor: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        let configuration = context.configuration
        let region = configuration.region.map { ["--region", $0] } ?? []
        let contacts = configuration.contactFolders.flatMap { ["--contacts", $0] }
        let log =
            ["--log-level", context.log.logLevel.rawValue] + (configuration.logsIdentities ? ["--log-identities"] : [])
        return try LinkedProcess(
            configuration.storePath ?? "", region + contacts + log + configuration.simulatedKernel.arguments,
            environment: configuration.environment, onExit: onExit)
    }

    func started(on link: PrivateLink) {
        link.acceptLargeMessages()
        link.onSignal = { [weak self] message in self?.onSignal?(message) }
        process.ping()
    }

    /// The first answer after a start.
    func answeredPing() {
        guard !isReachable, !isStopping else { return }
        isReachable = true
        absence = ""
        context.log.info("callkit-store is ready")
        onChange(true)
    }

    func linkClosed() { lose("callkit-store has ended") }

    func ended(_ end: SupervisedProcess.End) {
        switch end {
        case .notStarted(let error): failed("callkit-store cannot be started: \(error)")
        // It has told why.
        case .failed(.exited(ProgramExit.startAgain.rawValue), nil) where !isStopping:
            lose("callkit-store is being started again")
            _ = process.startAgain()
        case .failed(let status, let reason): failed("callkit-store \(reason ?? status.description)")
        case .stopped: break
        }
        guard isStopping else { return }
        let onStopped = onStopped
        self.onStopped = nil
        onStopped?()
    }

    private func failed(_ text: String) {
        guard !isStopping else { return }
        context.log.error("\(text)")
        lose(text)
        _ = process.startAgain()
    }

    private func lose(_ text: String) {
        // While the daemon shuts down this is expected.
        guard !isStopping else { return }
        absence = text
        defer { onSettled() }
        if isReachable {
            isReachable = false
            onChange(false)
        } else {
            onAbsence()
        }
    }
}
