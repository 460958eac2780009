// StoreSupervisor: keeps callkit-store running and forwards to it the requests that it answers.

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

    unowned let host: CallSystemHost
    private let process = SupervisedProcess(
        BackOff(pauses: [0, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000]), pingDeadline: 5_000)
    private var isStopping = false
    /// How many requests of each client the store has not answered.
    private var forwarded: [String: Int] = [:]
    private var onStopped: (@LoopActor () -> Void)?

    /// Whether the store has answered since it was last started.
    private(set) var isReachable = false
    /// Whether it has said what is shown of it, since the daemon's start.
    private(set) var hasIntroducedItself = false
    /// Why the store is not reachable; "" while it is reachable, and while it is being started for the first time.
    private(set) var absence = ""
    /// Called when `isReachable` has changed.
    var onChange: [@LoopActor (Bool) -> Void] = []
    /// Called when `absence` has changed.
    var onAbsence: (@LoopActor () -> Void)?
    /// Called with the signals of the store.
    var onSignal: (@LoopActor (Message) -> Void)?

    /// How many forwarded requests may wait for answers at a time.
    private static let maximumForwarded = 256
    /// Of one client.
    private static let shareOfForwarded = 16
    private static let forwardTimeout = 20_000

    init(host: CallSystemHost) {
        self.host = host
        process.delegate = self
    }

    /// The link to the store; nil while the store is not reachable.
    var link: PrivateLink? { isReachable ? process.link : nil }

    /// Whether it is being started for the first time.
    var isAwaited: Bool {
        !isStopping && !hasIntroducedItself && absence.isEmpty && host.configuration.storePath != nil
    }

    /// The store has said what is shown of it.
    func introduced() {
        hasIntroducedItself = true
        host.earlyRequests.admit()
    }

    func start() {
        guard !isStopping else { return }
        guard host.configuration.storePath != nil else { return lose("callkitd runs without callkit-store") }
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
    func lookUp(_ handle: Handle?, timeoutMilliseconds: Int, then: @escaping @LoopActor (Facts) -> Void) {
        call(
            PrivateMember.Store.lookUp, handle?.type.rawValue ?? "", handle?.value ?? "",
            timeoutMilliseconds: timeoutMilliseconds
        ) {
            [weak self] result in
            if case .failure(let error) = result, error.name == DBusError.Name.timeout { self?.process.ping() }
            then(
                result.flatMap { message in Facts { () throws(DBusError) in try message.read(VariantDictionary.self) } }
            )
        }
    }

    /// Asks which provider a handle is called with. Passes nil if none is known, or there is no answer in time.
    func preferredProvider(
        of handle: Handle, timeoutMilliseconds: Int, then: @escaping @LoopActor (ProviderID?) -> Void
    ) {
        // The answer includes the calls of this moment.
        host.recents.sendAll()
        call(
            PrivateMember.Store.preferredProvider, handle.type.rawValue, handle.value,
            timeoutMilliseconds: timeoutMilliseconds
        ) { result in
            let id = try? result.get().read(String.self)
            then(id.flatMap { ProviderID($0) })
        }
    }

    /// Calls a method of the store's own interface.
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeoutMilliseconds: Int,
        then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let link else { throw unavailable.dbusError }
            let message = try Message.call(at: .store, Contract.store, member, repeat each arguments)
            link.call(message, timeoutMilliseconds: timeoutMilliseconds, reply: then)
        } catch {
            Loop.shared.post { then(.failure(error)) }
        }
    }

    /// Forwards a call that came over the bus to the object of the same path in the store.
    ///
    /// While the store is being started for the first time, the call waits in the link: it may be the call for which
    /// D-Bus activated the daemon.
    ///
    /// - Parameter timeoutMilliseconds: How long the answer may take.
    func forward(_ context: CallContext, timeoutMilliseconds: Int = forwardTimeout) throws(CallError) {
        guard let link = link ?? (absence.isEmpty ? process.link : nil) else { throw unavailable }
        let client = context.sender ?? ""
        let (own, all) = (forwarded[client, default: 0], forwarded.values.reduce(0, +))
        guard own < Self.shareOfForwarded, all < Self.maximumForwarded else {
            let isOwn = own >= Self.shareOfForwarded
            throw CallError(
                .limitsExceeded,
                "\(isOwn ? "client \(client) has" : "all clients have") \(isOwn ? own : all) requests that wait for "
                    + "callkit-store, expected at most \(isOwn ? Self.shareOfForwarded : Self.maximumForwarded)")
        }
        forwarded[client] = own + 1
        context.forward(
            to: link, timeoutMilliseconds: timeoutMilliseconds,
            explain: { error in
                error.name == DBusError.Name.limitsExceeded
                    ? CallError(.limitsExceeded, "the arguments are too long: \(error.message)")
                    : CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)")
            },
            done: { [weak self] in
                let left = (self?.forwarded[client] ?? 0) - 1
                self?.forwarded[client] = left > 0 ? left : nil
            })
    }

    var unavailable: CallError {
        CallError(.storeUnavailable, absence.isEmpty ? "callkit-store is being started" : absence)
    }
}

extension StoreSupervisor: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        let configuration = host.configuration
        let region = configuration.region.map { ["--region", $0] } ?? []
        let contacts = configuration.contactFolders.flatMap { ["--contacts", $0] }
        let log =
            ["--log-level", host.log.logLevel.rawValue] + (configuration.logsIdentities ? ["--log-identities"] : [])
        return try LinkedProcess(
            configuration.storePath ?? "", region + contacts + log + configuration.simulatedKernel.arguments,
            environment: configuration.environment, onExit: onExit)
    }

    func started(on link: PrivateLink) {
        link.takeLargeMessages()
        link.onSignal = { [weak self] message in self?.onSignal?(message) }
        process.ping()
    }

    /// The first answer after a start.
    func answeredPing() {
        guard !isReachable, !isStopping else { return }
        isReachable = true
        absence = ""
        host.log.info("callkit-store is ready")
        for told in onChange { told(true) }
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
        host.log.error("\(text)")
        lose(text)
        _ = process.startAgain()
    }

    private func lose(_ text: String) {
        // While the daemon shuts down this is expected.
        guard !isStopping else { return }
        absence = text
        defer { host.earlyRequests.admit() }
        if isReachable {
            isReachable = false
            for told in onChange { told(false) }
        } else {
            onAbsence?()
        }
    }
}
