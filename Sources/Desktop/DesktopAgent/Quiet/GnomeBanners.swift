// GnomeBanners: Do Not Disturb of GNOME and Phosh, which is a setting in dconf.

import DBus
import EventLoop

/// Follows `show-banners` of org.gnome.desktop.notifications. dconf tells of changes on the bus; the value is read by the
/// program gsettings, so that the agent needs no GLib. Desktops other than GNOME are not asked.
@LoopActor
final class GnomeBanners {
    static let name = "GNOME"

    /// Called with whether the desktop is quiet; nil if nobody says.
    var onChange: (@LoopActor (Bool?) -> Void)?

    /// Tells the value by its exit status.
    private static let script =
        "case $(gsettings get org.gnome.desktop.notifications show-banners) in "
        + "false) exit 10;; true) exit 11;; *) exit 1;; esac"
    private static let path = "/org/gnome/desktop/notifications/show-banners"

    private let isGnome: Bool
    private let environment: [String: String]
    private var subscription: Subscription?
    private var child: ChildProcess?
    private var isOutdated = false

    init(environment: [String: String]) {
        self.environment = environment
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
        isGnome = desktops.contains { $0 == "GNOME" || $0 == "Phosh" || $0 == "Unity" }
    }

    func connected(to bus: Bus) {
        guard isGnome else { return }
        let rule = MatchRule(interface: "ca.desrt.dconf.Writer", member: "Notify")
        subscription = bus.subscribe(rule) { [weak self] message in
            // The prefix of what has changed: this key, or a folder above it.
            guard let (prefix, _, _) = try? message.read(String.self, [String].self, String.self),
                Self.path.hasPrefix(prefix)
            else { return }
            self?.read()
        }
        read()
    }

    func disconnected() { subscription = nil }

    private func read() {
        guard child == nil else { return isOutdated = true }
        isOutdated = false
        child = try? ChildProcess.spawn("/bin/sh", ["-c", Self.script], environment: environment) {
            [weak self] status in
            self?.ended(status)
        }
        if child == nil { onChange?(nil) }
    }

    private func ended(_ status: ExitStatus) {
        child = nil
        switch status {
        case .exited(10): onChange?(true)
        case .exited(11): onChange?(false)
        default: onChange?(nil)
        }
        if isOutdated { read() }
    }
}
