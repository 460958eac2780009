// The daemon's life: connect, own the name, serve, and leave in order.

import CallHost
import CallModel
import DBus
import EventLoop
import Glibc
import Logging
import Synchronization

/// The exit code; written on the loop's thread, read when the loop has stopped.
private let exitStatus = Atomic<Int32>(ProgramExit.failure.rawValue)

@LoopActor
final class Daemon {
    /// How long the daemon may take to end after the first signal, in milliseconds.
    private static let patience = 2_500
    /// After this many milliseconds the log says that there is no bus yet.
    private static let busPatience = 1_000

    private let host: CallSystemHost
    private let session: BusSession
    private let log: Logger
    private var status = ProgramExit.success
    private var hasStarted = false
    private var signals: SignalWatch?
    private var guardTimer: LoopTimer?
    private var busTimer: LoopTimer?
    /// Waits for the bus to announce that the daemon owns its name.
    private var acquisition: Subscription?

    /// Runs on this thread until a signal or a failure ends it.
    /// - Returns: the exit status.
    nonisolated static func run(_ configuration: HostConfiguration, address: String?, log: Logger) -> Int32 {
        Loop.shared.post {
            let daemon = Daemon(configuration, address: address, log: log)
            daemon.start { code in
                exitStatus.store(code, ordering: .relaxed)
                Loop.shared.stop()
            }
        }
        Loop.shared.run()
        return exitStatus.load(ordering: .relaxed)
    }

    private var onEnd: (@LoopActor (Int32) -> Void)?

    private init(_ configuration: HostConfiguration, address: String?, log: Logger) {
        host = CallSystemHost(configuration: configuration, log: log)
        session = BusSession(address: address)
        self.log = log
    }

    private func start(onEnd: @escaping @LoopActor (Int32) -> Void) {
        self.onEnd = onEnd
        do throws(SystemError) {
            try host.startRecording()
        } catch {
            log.critical("cannot record: \(error)")
            status = .failure
            return end()
        }
        signals = try? SignalWatch([SIGTERM, SIGINT, SIGHUP]) { _ in self.shutDown() }
        host.onStopped = { self.end() }
        session.onConnected = { bus in self.connected(bus) }
        session.onDisconnected = {
            self.log.warning("the bus went away; calls live on, reconnecting")
            self.host.loseBus()
        }
        session.start()
        busTimer = LoopTimer(afterMilliseconds: Self.busPatience) {
            let reason = self.session.lastError?.message ?? "it does not answer"
            self.log.warning("no bus to serve on yet, trying again: \(reason)")
        }
    }

    private func connected(_ bus: Bus) {
        busTimer = nil
        host.serve(on: bus)
        bus.onNameLost = { _ in
            self.log.critical("the name \(Contract.busName) was taken away")
            self.fail(with: .failure)
        }
        // The bus says so, then sends what has waited for us if it started us, and only then answers.
        let acquired = MatchRule(
            sender: BusDriver.name, interface: BusDriver.interface, member: "NameAcquired", arg0: Contract.busName)
        acquisition = bus.subscribe(acquired) { _ in self.ownsName() }
        bus.requestName(Contract.busName) { result in
            switch result {
            case .success(.acquired), .success(.alreadyOwner): self.ownsName()
            case .success(.taken):
                self.log.critical("another callkitd owns \(Contract.busName) on this bus")
                self.fail(with: .alreadyRunning)
            case .failure(let error):
                self.log.critical("cannot own \(Contract.busName): \(error.message)")
                self.fail(with: .failure)
            }
        }
    }

    private func ownsName() {
        guard acquisition != nil else { return }
        acquisition = nil
        log.info("serving \(Contract.busName)")
        guard !hasStarted else { return }
        hasStarted = true
        host.start()
    }

    private func fail(with code: ProgramExit) {
        status = code
        shutDown()
    }

    private func shutDown() {
        guard guardTimer == nil else { return }
        log.info("shutting down")
        guardTimer = LoopTimer(afterMilliseconds: Self.patience) { self.end() }
        host.shutDown()
    }

    private func end() {
        session.bus?.flush()
        session.stop()
        onEnd?(status.rawValue)
        onEnd = nil
    }
}
