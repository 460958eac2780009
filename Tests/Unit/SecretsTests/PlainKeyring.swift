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

    private static let path: ObjectPath = "/org/freedesktop/secrets"
    private static let collectionChanged = Signal<ObjectPath>(
        "org.freedesktop.Secret.Service", "CollectionChanged", args: ["collection"])

    init(on privateBus: PrivateBus) async throws {
        bus = try await Bus.connect(to: privateBus.address)
        tree.export(self, at: Self.path, Self.interface)
        tree.serve(on: bus)
        _ = try await bus.requestName(SecretsRig.secretService)
    }

    /// Tells that a collection was changed.
    func changeCollection() {
        tree.emit(Self.collectionChanged, from: Self.path, "/org/freedesktop/secrets/collection/a")
    }

    private static let interface = Interface<PlainKeyring>("org.freedesktop.Secret.Service") {
        Method("OpenSession", in: ["algorithm", "input"], out: ["output", "result"]) {
            (keyring: PlainKeyring, _, algorithm: String, _: Variant) throws(DBusError) -> (Variant, ObjectPath) in
            guard algorithm == "plain" else { throw DBusError(DBusError.Name.notSupported, "not that one") }
            keyring.sessions.append(algorithm)
            return ("", "/org/freedesktop/secrets/session/s1")
        }
        PlainKeyring.collectionChanged
    }
}
