// PlainKeyring: a Secret Service without encryption.

import DBus
import EventLoop
import TestSupport

/// A Secret Service that knows no session but the one that sends secrets as they are.
@LoopActor
final class PlainKeyring {
    /// The algorithms of the sessions that were opened.
    private(set) var sessions: [String] = []
    private let bus: Bus
    private let tree = ObjectTree()

    init(on privateBus: PrivateBus) async throws {
        bus = try await Bus.connect(to: privateBus.address)
        tree.export(self, at: "/org/freedesktop/secrets", Self.interface)
        tree.serve(on: bus)
        _ = try await bus.requestName(SecretsRig.secretService)
    }

    private static let interface = Interface<PlainKeyring>("org.freedesktop.Secret.Service") {
        Method("OpenSession", in: ["algorithm", "input"], out: ["output", "result"]) {
            (keyring: PlainKeyring, _, algorithm: String, _: Variant) throws(DBusError) -> (Variant, ObjectPath) in
            guard algorithm == "plain" else { throw DBusError(DBusError.Name.notSupported, "not that one") }
            keyring.sessions.append(algorithm)
            return ("", "/org/freedesktop/secrets/session/s1")
        }
    }
}
