// A session with the daemon: one bus connection and the method calls made over it.

import CallClient
import CallModel
import DBus
import EventLoop

/// A bus client that turns every error into a `Failure`.
@LoopActor
final class Session {
    /// The time limit for requests that the daemon answers by itself.
    nonisolated static let quickTimeout = CallSystemModel.quickTimeout
    /// The time limit for requests that wait for providers: longer than all the deadlines that one request can meet.
    nonisolated static let patientTimeout = Duration.seconds(60)

    let output: Output
    let bus: Bus
    /// When to look again at the daemon's objects; it notes changes from its first use on.
    private(set) lazy var changes = ChangeWatch(on: bus)
    /// The objects as this command has seen them last.
    private var latest = Snapshot([:])

    /// Connects to the bus at `address`, or to the session bus.
    init(to address: String?, output: Output) async throws(Failure) {
        do {
            bus = try await Bus.connect(to: address)
        } catch {
            throw .unreachableBus(error)
        }
        self.output = output
    }

    /// Calls a method of the daemon, or of another service, and returns its answer.
    func call<each Argument: DBusType & Sendable, each Answer: DBusType & Sendable>(
        of service: BusService = .daemon, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument,
        waiting timeout: Duration = Session.patientTimeout
    ) async throws(Failure) -> (repeat each Answer) {
        let start = MonotonicTime.now
        // The daemon goes on with a request that waits for a provider, whatever becomes of this process.
        if timeout == Self.patientTimeout { Interruption.isExplained = true }
        defer { Interruption.isExplained = false }
        do {
            return try await bus.call(
                to: service.busName, at: path, interface, member, repeat each arguments,
                timeout: timeout)
        } catch {
            let waited = MonotonicTime.now.duration(since: start)
            throw Failure(error, of: service, outOfTime: waited >= timeout * 9 / 10)
        }
    }

    func snapshot() async throws(Failure) -> Snapshot {
        let objects: ManagedObjects = try await call(
            at: DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects",
            waiting: Self.quickTimeout)
        var snapshot = Snapshot(objects)
        for index in snapshot.calls.indices { await readIdentity(of: &snapshot.calls[index]) }
        latest = snapshot
        return snapshot
    }

    /// Returns a failure whose text has the short ids that tables show in the place of calls' ids and paths.
    func shortening(_ failure: Failure) async -> Failure {
        let text = latest.shortening(failure.message)
        // Calls that no command has seen yet; a daemon that has refused something is there to be asked.
        guard [.refused, .unknown].contains(failure.outcome), text.contains(/[0-9a-f]{8}([-_][0-9a-f]{4}){3}[-_]/),
            let now = try? await snapshot()
        else { return Failure(failure.outcome, text) }
        return Failure(failure.outcome, now.shortening(text))
    }

    /// Returns a failure for want of a provider with what those say that are not online, and with the plugins that do not
    /// run, and what to type.
    func hinting(_ failure: Failure) async -> Failure {
        guard failure.isForWantOfProvider, let snapshot = try? await snapshot() else { return failure }
        let states = snapshot.providers.map(\.configuration).filter { $0.availability != .online && !$0.status.isEmpty }
        var hints = states.map { "\($0.localizedName) is \($0.availability.rawValue): \($0.status)" }
        hints += snapshot.plugins.compactMap(\.standstill)
        if snapshot.providers.isEmpty, snapshot.plugins.isEmpty {
            hints = ["there are no plugins; try: callctl plugins"]
        }
        return Failure(failure.outcome, ([failure.message] + hints.map(\.printable)).joined(separator: "\n"))
    }

    /// Reads who is at the far side of a call. A call that has gone meanwhile stays without.
    private func readIdentity(of call: inout PublishedCall) async {
        let identity: VariantDictionary? = try? await self.call(
            at: call.path, StandardInterface.properties, "GetAll", Contract.callIdentity,
            waiting: Self.quickTimeout)
        if let identity { call.identify(identity) }
    }

    func property<T: DBusType>(
        _ name: String, of interface: String = Contract.callSystem, at path: ObjectPath = DaemonPath.system
    ) async throws(Failure) -> T {
        let value: Variant = try await call(
            at: path, StandardInterface.properties, "Get", interface, name,
            waiting: Self.quickTimeout)
        do {
            return try value.value()
        } catch {
            throw Failure(error, outOfTime: false)
        }
    }

    func setProperty(
        _ name: String, of interface: String = Contract.callSystem, at path: ObjectPath = DaemonPath.system,
        to value: some DBusType
    ) async throws(Failure) {
        let _: Void = try await call(
            at: path, StandardInterface.properties, "Set", interface, name, Variant(value),
            waiting: Self.quickTimeout)
    }

    func close() {
        bus.flush(timeout: .milliseconds(100))
        bus.close()
    }
}
