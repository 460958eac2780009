// HostBus: an app's connection to callkitd over the session bus.

internal import CallModel
internal import DBus
internal import EventLoop

/// Follows the bus and the host, both of which may disappear and return. Providers register whenever the host is
/// available; otherwise the bus starts it.
@LoopActor
final class HostBus {
    /// How long requests wait for the bus.
    private static let connectionTimeout = Duration.seconds(10)

    private unowned let connection: HostConnection
    private let session = BusSession()
    private var watch: NameWatch?
    private(set) weak var bus: Bus?
    private var waiting: [@LoopActor () -> Void] = []
    private var connectionTimer: LoopTimer?
    /// The host's unique name; nil while there is no host.
    private(set) var hostOwner: String?

    init(_ connection: HostConnection) { self.connection = connection }

    func start() {
        session.onConnected = { [weak self] bus in self?.connected(bus) }
        session.onDisconnected = { [weak self] in self?.disconnected() }
        session.start()
    }

    /// Calls `body` when the bus is connected, or when the time limit has passed.
    func whenConnected(_ body: @escaping @LoopActor () -> Void) {
        waiting.append(body)
        guard connectionTimer == nil else { return }
        connectionTimer = LoopTimer(after: Self.connectionTimeout) { [weak self] in self?.release() }
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
        if let bus { connection.watch.hostAppeared(owner, on: bus) }
        connection.registerAll()
    }

    private func hostVanished(registering: Bool = true) {
        if hostOwner != nil {
            hostOwner = nil
            connection.hostLost()
        } else {
            connection.watch.hostLost()
        }
        // The registration makes the bus start the host.
        if registering { connection.registerAll() }
    }

    private func release() {
        connectionTimer?.cancel()
        connectionTimer = nil
        let waiting = waiting
        self.waiting = []
        for body in waiting { body() }
    }
}
