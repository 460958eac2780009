// ScreenSaverWatch: whether a desktop's screen saver or lock is shown.

import DBus
import EventLoop

/// Follows one service of screen savers on the session bus, while it has an owner. It is never started. Until it has
/// answered, the screen counts as locked: who calls is rather shown late than to everybody.
@LoopActor
final class ScreenSaverWatch {
    private static let timeout = Duration.seconds(5)

    private let service: String
    private let path: ObjectPath
    private let screenLock: ScreenLock
    private var watch: NameWatch?
    private var signals: Subscription?
    /// The unique name of the service whose answers count.
    private var owner: String?

    private init(_ service: String, _ path: ObjectPath, _ screenLock: ScreenLock) {
        self.service = service
        self.path = path
        self.screenLock = screenLock
    }

    /// The one of KDE and others, and those of desktops with names of their own.
    static func all(for screenLock: ScreenLock) -> [ScreenSaverWatch] {
        [
            ScreenSaverWatch("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", screenLock),
            ScreenSaverWatch("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", screenLock),
            ScreenSaverWatch("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver", screenLock),
            ScreenSaverWatch("org.mate.ScreenSaver", "/org/mate/ScreenSaver", screenLock),
            ScreenSaverWatch("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver", screenLock),
        ]
    }

    func start(on bus: Bus) {
        screenLock.set(service, isLocked: true)
        watch = bus.watchName(service) { [weak self, weak bus] owner in
            if let bus { self?.follow(owner, on: bus) }
        } vanished: { [weak self] in
            self?.forget()
        }
    }

    func stop() {
        watch = nil
        forget()
    }

    private func forget() {
        owner = nil
        signals = nil
        screenLock.set(service, isLocked: false)
    }

    private func follow(_ owner: String, on bus: Bus) {
        self.owner = owner
        screenLock.set(service, isLocked: true)
        signals = bus.subscribe(
            MatchRule(sender: owner, interface: service, member: "ActiveChanged")
        ) { [weak self] in self?.receive($0, from: owner) }
        guard let message = try? Message.call(to: owner, at: path, service, "GetActive") else { return }
        message.autoStart = false
        bus.call(message, timeout: Self.timeout) { [weak self] in
            // One that cannot say locks nothing.
            self?.set((try? $0.get().read(Bool.self)) ?? false, by: owner)
        }
    }

    private func receive(_ message: Message, from owner: String) {
        if let isActive = try? message.read(Bool.self) { set(isActive, by: owner) }
    }

    private func set(_ isActive: Bool, by owner: String) {
        if self.owner == owner { screenLock.set(service, isLocked: isActive) }
    }
}
