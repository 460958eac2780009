// How a plugin uses a bus: the code of an article, against a service on a private bus.

import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

/// Follows a lamp on another bus.
@LoopActor
final class LampFollower {
    private static let name = "org.example.Lamps"
    private var bus: Bus?
    private var nameWatch: NameWatch?
    private var switches: Subscription?
    private(set) var isOn: Bool?
    var onChange: (@LoopActor (Bool?) -> Void)?

    /// The address of the system bus.
    static var systemBus: String {
        getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/run/dbus/system_bus_socket"
    }

    /// Connects, and follows the lamp as long as its service is there.
    func start(on address: String = LampFollower.systemBus) async throws(DBusError) {
        let bus = try await Bus.connect(to: address)
        self.bus = bus
        switches = bus.subscribe(MatchRule(sender: Self.name, interface: "org.example.Lamp1", member: "Switched")) {
            [weak self] signal in
            guard let (isOn, _) = try? signal.read(Bool.self, String.self) else { return }
            self?.show(isOn)
        }
        nameWatch = bus.watchName(
            Self.name,
            appeared: { [weak self] _ in Task { @LoopActor in await self?.look() } },
            vanished: { [weak self] in self?.show(nil) })
    }

    /// Reads the lamp. A service may answer with anything, late, or not at all.
    private func look() async {
        guard let bus else { return }
        let isOn: Bool? = try? await bus.getProperty(
            of: Self.name, at: "/org/example/lamps/one", "org.example.Lamp1", "IsOn")
        show(isOn)
    }

    func turn(on isOn: Bool) async throws(DBusError) {
        guard let bus else { throw .disconnected }
        try await bus.call(
            to: Self.name, at: "/org/example/lamps/one", "org.example.Lamp1", "Switch", isOn,
            timeout: .seconds(5))
    }

    private func show(_ isOn: Bool?) {
        self.isOn = isOn
        onChange?(isOn)
    }
}

@Suite @LoopActor struct PluginBusTests {
    @Test func aPluginFollowsAService() async throws {
        let stage = try await Stage()
        let follower = LampFollower()
        let changes = Inbox<Bool?>()
        follower.onChange = { changes.put($0) }
        try await follower.start(on: stage.daemon.address)
        #expect(try await changes.next() == false)
        try await follower.turn(on: true)
        stage.tree.emit(Lamp.switched, from: Stage.lampPath, true, "test")
        #expect(try await changes.next() == true)
        stage.service.close()
        #expect(try await changes.next() == nil)
        await stage.expectError(DBusError.Name.serviceUnknown) { () throws(DBusError) in
            try await follower.turn(on: false)
        }
    }
}
