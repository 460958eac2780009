// StoreSupervisor: keeps callkit-store running, and hands to it what is its to answer.

import CallModel
import DBus
import EventLoop
import Logging
import CallWire

/// The store as the host sees it: there, or not there. No call ever waits for it longer than it was given.
@LoopActor
final class StoreSupervisor {
    typealias Facts = Result<VariantDictionary, DBusError>

    unowned let host: CallSystemHost
    private var process: StoreProcess?
    private var startTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private var failures = 0
    private var startedAt = MonotonicTime(nanoseconds: 0)
    private var isStopping = false
    private var forwarded = 0
    private var onStopped: (@LoopActor () -> Void)?

    /// Whether the store has answered since it was started last.
    private(set) var isReachable = false
    /// Why it is not; "" while it is, and at first, while it is being started.
    private(set) var absence = ""
    /// Told whenever `isReachable` has changed.
    var onChange: [@LoopActor (Bool) -> Void] = []
    /// Told whenever `absence` has changed.
    var onAbsence: (@LoopActor () -> Void)?
    /// Gets the signals of the store.
    var onSignal: (@LoopActor (Message) -> Void)?

    /// What may wait for the store's answers at a time.
    private static let maximumForwarded = 256
    private static let forwardTimeout = 20_000
    private static let pingDeadline = 5_000
    /// Between two starts: at once after the first end, then ever longer.
    private static let pauses = [0, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000]
    /// A store that has run so long, in ms, has not failed to start.
    private static let provenAfter = 60_000

    init(host: CallSystemHost) { self.host = host }

    /// The link to the store; nil while it is away.
    var link: PrivateLink? { isReachable ? process?.link : nil }

    func start() {
        guard process == nil, !isStopping else { return }
        guard let path = host.configuration.storePath else {
            return lose("callkitd runs without callkit-store")
        }
        startedAt = .now
        do {
            let process = try StoreProcess(host.configuration, path: path) { [weak self] process, status in
                self?.ended(process, status)
            }
            self.process = process
            process.link.onSignal = { [weak self] message in self?.onSignal?(message) }
            process.link.onClosed = { [weak self, weak process] reason in
                guard let self, let process else { return }
                linkClosed(of: process, reason)
            }
            ping()
        } catch {
            failed("callkit-store cannot be started: \(error)")
        }
    }

    /// Ends the store, which writes down what it has; `then` follows when it has ended.
    func stop(then: @escaping @LoopActor () -> Void) {
        isStopping = true
        startTimer = nil
        pingTimer = nil
        guard let process else { return then() }
        onStopped = then
        process.stop()
    }

    // MARK: what the store answers

    /// Asks what is known of a caller. `then` is called once, never before this returns.
    ///
    /// - Parameter handle: nil for a caller who withholds it.
    func lookUp(_ handle: Handle?, timeoutMilliseconds: Int, then: @escaping @LoopActor (Facts) -> Void) {
        call("LookUp", handle?.type.rawValue ?? "", handle?.value ?? "", timeoutMilliseconds: timeoutMilliseconds) {
            [weak self] result in
            if case .failure(let error) = result, error.name == DBusError.Name.timeout { self?.ping() }
            then(
                result.flatMap { message in Facts { () throws(DBusError) in try message.read(VariantDictionary.self) } }
            )
        }
    }

    /// Calls a method of the store's own interface.
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeoutMilliseconds: Int,
        then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            guard let link else { throw DBusError(unavailable) }
            let message = try Message.call(at: .store, Contract.store, member, repeat each arguments)
            link.call(message, timeoutMilliseconds: timeoutMilliseconds, reply: then)
        } catch {
            Loop.shared.post { then(.failure(error)) }
        }
    }

    /// Hands a call that came over the bus to the object of the same path in the store.
    ///
    /// While the store is being started for the first time the call waits in the link: by D-Bus activation it may be the
    /// one that started the daemon.
    ///
    /// - Parameter timeoutMilliseconds: how long the answer may take.
    func forward(_ context: CallContext, timeoutMilliseconds: Int = forwardTimeout) throws(CallError) {
        guard let link = link ?? (absence.isEmpty ? process?.link : nil) else { throw unavailable }
        guard forwarded < Self.maximumForwarded else {
            throw CallError(.storeUnavailable, "\(forwarded) calls wait for the store already")
        }
        forwarded += 1
        // What has happened before is in the answer.
        host.recents.sendNow()
        context.forward(
            to: link, timeoutMilliseconds: timeoutMilliseconds,
            explain: { error in
                error.name == DBusError.Name.limitsExceeded
                    ? CallError(.limitsExceeded, "the arguments are too long: \(error.message)")
                    : CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)")
            },
            done: { [weak self] in self?.forwarded -= 1 })
    }

    private var unavailable: CallError {
        CallError(.storeUnavailable, absence.isEmpty ? "callkit-store is being started" : absence)
    }

    // MARK: its life

    /// Asks whether it is there at all, and ends it if it does not say so.
    private func ping() {
        guard pingTimer == nil, let process else { return }
        // Held so that one question is under way at a time; the link has the time limit.
        pingTimer = LoopTimer(afterMilliseconds: 2 * Self.pingDeadline) {}
        guard let message = try? Message.call(at: .root, "org.freedesktop.DBus.Peer", "Ping") else { return }
        process.link.call(message, timeoutMilliseconds: Self.pingDeadline) { [weak self, weak process] result in
            guard let self, let process, process === self.process else { return }
            pingTimer = nil
            switch result {
            case .success: answered()
            case .failure where process.link.isOpen:
                host.log.error("callkit-store hung: a ping was not answered in \(Self.pingDeadline) ms")
                process.kill()
            case .failure: break
            }
        }
    }

    private func answered() {
        guard !isReachable, !isStopping else { return }
        isReachable = true
        absence = ""
        host.log.info("callkit-store is ready")
        for told in onChange { told(true) }
    }

    private func linkClosed(of process: StoreProcess, _ reason: CloseReason) {
        guard process === self.process else { return }
        if !isStopping, reason != .peerClosed { host.log.error("the link to callkit-store: \(reason)") }
        isStopping ? process.stop() : process.kill()
        lose("callkit-store has ended")
    }

    private func ended(_ process: StoreProcess, _ status: ExitStatus) {
        guard process === self.process else { return }
        self.process = nil
        pingTimer = nil
        if isStopping {
            let onStopped = onStopped
            self.onStopped = nil
            onStopped?()
            return
        }
        failed("callkit-store ended: \(status)")
    }

    private func failed(_ text: String) {
        host.log.error("\(text)")
        lose(text)
        if MonotonicTime.now.milliseconds(since: startedAt) > Self.provenAfter { failures = 0 }
        let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
        failures += 1
        startTimer = LoopTimer(afterMilliseconds: pause) { [weak self] in self?.start() }
    }

    private func lose(_ text: String) {
        // Nobody is to be told on the way out.
        guard !isStopping else { return }
        absence = text
        if isReachable {
            isReachable = false
            for told in onChange { told(false) }
        } else {
            onAbsence?()
        }
    }
}

extension DBusError {
    init(_ error: CallError) { self = error.dbusError }
}

extension Result {
    fileprivate init(_ body: () throws(Failure) -> Success) {
        do throws(Failure) {
            self = .success(try body())
        } catch {
            self = .failure(error)
        }
    }
}
