// KeyringWatch: when the keyring comes, goes, is locked or unlocked.

import DBus
import EventLoop

/// Follows the Secret Service on the session bus, which may come later or be another one after a while.
@LoopActor
final class KeyringWatch {
    /// Called at most every `pause` milliseconds.
    var onChange: @LoopActor () -> Void = {}

    private static let name = "org.freedesktop.secrets"
    private static let path: ObjectPath = "/org/freedesktop/secrets"
    private static let service = "org.freedesktop.Secret.Service"
    private static let collection = "org.freedesktop.Secret.Collection"
    private static let pause = 100

    private let session = BusSession()
    private var ownerWatch: NameWatch?
    private var subscriptions: [Subscription] = []
    private var isThere = false
    private var pending: LoopTimer?

    func start() {
        session.onConnected = { [weak self] bus in self?.follow(bus) }
        session.onDisconnected = { [weak self] in self?.lost() }
        session.start()
    }

    func stop() {
        pending = nil
        forget()
        session.stop()
    }

    private func follow(_ bus: Bus) {
        let locked = MatchRule(
            sender: Self.name, pathNamespace: Self.path, interface: StandardInterface.properties,
            member: "PropertiesChanged", arg0: Self.collection)
        subscriptions = [
            bus.subscribe(locked) { [weak self] signal in
                if Self.isAboutLocked(signal) { self?.changed() }
            }
        ]
        for member in ["CollectionCreated", "CollectionDeleted"] {
            let rule = MatchRule(sender: Self.name, path: Self.path, interface: Self.service, member: member)
            subscriptions.append(bus.subscribe(rule) { [weak self] _ in self?.changed() })
        }
        ownerWatch = bus.watchName(
            Self.name,
            appeared: { [weak self] _ in
                self?.isThere = true
                self?.changed()
            }, vanished: { [weak self] in self?.vanished() })
    }

    private static func isAboutLocked(_ signal: Message) -> Bool {
        guard let (_, values, invalidated) = try? signal.read(String.self, VariantDictionary.self, [String].self) else {
            return false
        }
        return values["Locked"] != nil || invalidated.contains("Locked")
    }

    private func lost() {
        forget()
        vanished()
    }

    /// The first report of a name without an owner tells nothing new.
    private func vanished() {
        if isThere { changed() }
        isThere = false
    }

    private func forget() {
        ownerWatch = nil
        subscriptions = []
    }

    private func changed() {
        guard pending == nil else { return }
        pending = LoopTimer(afterMilliseconds: Self.pause) { [weak self] in
            self?.pending = nil
            self?.onChange()
        }
    }
}
