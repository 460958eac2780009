// KeyringWatch: when the keyring comes, goes, is locked or unlocked.

import DBus
import EventLoop

/// Follows the Secret Service on the session bus, which may come later or be another one after a while.
@LoopActor
final class KeyringWatch {
    /// Called when secrets that could not be had may be there now, at most once in each `pause`.
    var onChange: @LoopActor () -> Void = {}

    private static let name = "org.freedesktop.secrets"
    private static let path: ObjectPath = "/org/freedesktop/secrets"
    private static let service = "org.freedesktop.Secret.Service"
    private static let collection = "org.freedesktop.Secret.Collection"
    private static let pause = Duration.milliseconds(100)
    /// A keyring that is there and cannot be used is tried again, after pauses that double.
    private static let firstRetry = Duration.milliseconds(500)
    private static let longestRetry = Duration.seconds(60)

    private let session = BusSession()
    private var ownerWatch: NameWatch?
    private var subscriptions: [Subscription] = []
    private var isThere = false
    private var pending: LoopTimer?
    private var retry: LoopTimer?
    private var retryPause = firstRetry

    func start() {
        session.onConnected = { [weak self] bus in self?.follow(bus) }
        session.onDisconnected = { [weak self] in self?.lost() }
        session.start()
    }

    /// A look-up has failed. A keyring that goes on after it has hung tells nobody; nor does KeePassXC 2.7, which owns the
    /// name before its objects are there, when they are.
    func failed() {
        guard isThere, retry == nil else { return }
        retry = LoopTimer(after: retryPause) { [weak self] in
            self?.retry = nil
            self?.onChange()
        }
        retryPause = min(retryPause * 2, Self.longestRetry)
    }

    func stop() {
        (pending, retry) = (nil, nil)
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
        // KeePassXC 2.7 tells of its locks by CollectionChanged alone.
        for member in ["CollectionCreated", "CollectionChanged", "CollectionDeleted"] {
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
        (retry, retryPause) = (nil, Self.firstRetry)
        guard pending == nil else { return }
        pending = LoopTimer(after: Self.pause) { [weak self] in
            self?.pending = nil
            self?.onChange()
        }
    }
}
