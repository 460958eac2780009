// HostSession: the way to callkitd for an app: the session bus, which may come and go, as callkitd may.

internal import CallModel
internal import DBus
internal import EventLoop

/// Follows the bus and the host on it. Providers are registered whenever the host is there; it is started by the bus
/// when it is not.
@LoopActor
final class HostSession {
    /// How long requests wait for the bus, in milliseconds.
    private static let patience = 10_000

    private unowned let connection: HostConnection
    private let session = BusSession()
    private var watch: NameWatch?
    private(set) weak var bus: Bus?
    private var waiting: [@LoopActor () -> Void] = []
    private var patienceTimer: LoopTimer?
    /// The host's unique name; nil while there is no host.
    private(set) var hostOwner: String?

    init(_ connection: HostConnection) { self.connection = connection }

    func start() {
        session.onConnected = { [weak self] bus in self?.connected(bus) }
        session.onDisconnected = { [weak self] in self?.disconnected() }
        session.start()
    }

    /// Calls `body` when there is a bus, or when waiting for one is over.
    func whenConnected(_ body: @escaping @LoopActor () -> Void) {
        waiting.append(body)
        guard patienceTimer == nil else { return }
        patienceTimer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in self?.release() }
    }

    private func connected(_ bus: Bus) {
        self.bus = bus
        connection.attach(bus)
        watch = bus.watchName(Contract.busName) { [weak self] owner in
            self?.hostAppeared(owner)
        } vanished: { [weak self] in
            self?.hostVanished()
        }
        release()
    }

    private func disconnected() {
        watch = nil
        hostVanished(registering: false)
        connection.detach()
    }

    private func hostAppeared(_ owner: String) {
        if let hostOwner, hostOwner != owner { connection.hostLost() }
        hostOwner = owner
        if let bus { CallWatch.shared.hostAppeared(owner, on: bus) }
        connection.registerAll()
    }

    private func hostVanished(registering: Bool = true) {
        if hostOwner != nil {
            hostOwner = nil
            connection.hostLost()
        } else {
            CallWatch.shared.hostLost()
        }
        // The registration has the bus start the host.
        if registering { connection.registerAll() }
    }

    private func release() {
        patienceTimer?.cancel()
        patienceTimer = nil
        let waiting = waiting
        self.waiting = []
        for body in waiting { body() }
    }
}
