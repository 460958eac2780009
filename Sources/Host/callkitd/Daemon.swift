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

/// What the daemon was told at its start.
struct DaemonSettings: Sendable {
    var host: HostConfiguration
    /// The address of the bus; nil for the session bus.
    var address: String?
    /// How long the daemon lives without a bus.
    var busTimeout: Duration
    var manager: ServiceManager
}

@LoopActor
final class Daemon {
    /// How long the daemon may take to end after the first signal.
    private static let endTimeout = Duration.milliseconds(2_500)
    /// After this time the log says that there is no bus yet.
    private static let busWait = Duration.seconds(1)

    private let host: CallSystemHost
    private let session: BusSession
    private let manager: ServiceManager
    private let log: Logger
    private let busTimeout: Duration
    private lazy var absence = BusAbsence(of: host, timeout: busTimeout, log: log) { [weak self] in
        self?.giveUp()
    }
    private var status = ProgramExit.success
    private var hasStarted = false
    private var signals: SignalWatch?
    private var guardTimer: LoopTimer?
    private var busTimer: LoopTimer?
    /// Waits for the bus to announce that the daemon owns its name.
    private var acquisition: Subscription?

    /// Runs on this thread until a signal or a failure ends it.
    /// - Returns: the exit status.
    nonisolated static func run(_ settings: DaemonSettings, log: Logger) -> Int32 {
        Loop.shared.post {
            let daemon = Daemon(settings, log: log)
            daemon.start { code in
                exitStatus.store(code, ordering: .relaxed)
                Loop.shared.stop()
            }
        }
        Loop.shared.run()
        return exitStatus.load(ordering: .relaxed)
    }

    private var onEnd: (@LoopActor (Int32) -> Void)?

    private init(_ settings: DaemonSettings, log: Logger) {
        host = CallSystemHost(configuration: settings.host, log: log)
        session = BusSession(address: settings.address)
        manager = settings.manager
        busTimeout = settings.busTimeout
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
            self.acquisition = nil
            self.host.loseBus()
            self.absence.begin()
        }
        session.start()
        absence.begin()
        busTimer = LoopTimer(after: Self.busWait) {
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
        // Who has calls does not leave them for a daemon that was faster after the bus came back, but waits for its name.
        bus.requestName(Contract.busName, queue: hasStarted) { result in
            switch result {
            case .success(.acquired), .success(.alreadyOwner): self.ownsName()
            case .success(.taken):
                self.log.critical("another callkitd owns \(Contract.busName) on this bus")
                self.fail(with: .alreadyRunning)
            case .success(.queued):
                self.log.warning("another callkitd owns \(Contract.busName) on this bus; waiting for it to leave")
            case .failure(let error):
                self.log.critical("cannot own \(Contract.busName): \(error.message)")
                self.fail(with: .failure)
            }
        }
    }

    private func ownsName() {
        guard acquisition != nil else { return }
        acquisition = nil
        absence.end()
        log.info("serving \(Contract.busName)")
        manager.ready()
        guard !hasStarted else { return }
        hasStarted = true
        host.start()
    }

    private func giveUp() {
        log.critical(
            "no bus to serve \(Contract.busName) on for \(busTimeout.milliseconds) ms, and no call that lives on")
        fail(with: .failure)
    }

    private func fail(with code: ProgramExit) {
        status = code
        shutDown()
    }

    /// Ends calls and workers, then the daemon.
    private func shutDown() {
        guard guardTimer == nil else { return }
        log.info("shutting down")
        manager.stopping()
        absence.end()
        guardTimer = LoopTimer(after: Self.endTimeout) { self.end() }
        host.shutDown()
    }

    private func end() {
        session.bus?.flush()
        session.stop()
        host.removeOwnIcons()
        onEnd?(status.rawValue)
        onEnd = nil
    }
}
