// QuietSource: where a desktop keeps its Do Not Disturb, and how it is read.

import DBus
import EventLoop

/// A desktop's own Do Not Disturb, as a service on the session bus tells it. It is read when the service appears, and again
/// with each of its signals.
struct QuietSource: Sendable {
    /// The source in `SetQuiet` and `callctl dnd`.
    let name: String
    /// The name of the service.
    let service: String
    let path: ObjectPath
    let interface: String
    /// The method and its arguments that read it.
    let member: String
    let arguments: [String]
    /// The signals after which it is read again; nil if there are none.
    let signal: MatchRule?
    /// Returns whether the answer means quiet; nil for an answer of another kind.
    let isQuiet: @Sendable @LoopActor (Message) -> Bool?

    private static let notifications = "org.freedesktop.Notifications"
    private static let notificationsPath: ObjectPath = "/org/freedesktop/Notifications"

    static let all = [dunst, plasma, mako, xfce]

    private static let dunst = property(
        "dunst", of: notifications, at: notificationsPath, "org.dunstproject.cmd0", "paused")
    private static let plasma = property("KDE", of: notifications, at: notificationsPath, notifications, "Inhibited")
    private static let mako = QuietSource(
        name: "mako", service: notifications, path: "/fr/emersion/Mako", interface: "fr.emersion.Mako",
        member: "ListModes", arguments: [], signal: nil
    ) { answer in
        (try? answer.read([String].self)).map { $0.contains("do-not-disturb") || $0.contains("dnd") }
    }
    private static let xfce = QuietSource(
        name: "Xfce", service: "org.xfce.Xfconf", path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf",
        member: "GetProperty", arguments: ["xfce4-notifyd", "/do-not-disturb"],
        signal: MatchRule(path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf", arg0: "xfce4-notifyd")
    ) { try? $0.read(Variant.self).value() }

    private static func property(
        _ name: String, of service: String, at path: ObjectPath, _ interface: String, _ property: String
    ) -> QuietSource {
        QuietSource(
            name: name, service: service, path: path, interface: StandardInterface.properties, member: "Get",
            arguments: [interface, property],
            signal: MatchRule(
                path: path, interface: StandardInterface.properties, member: "PropertiesChanged", arg0: interface)
        ) { try? $0.read(Variant.self).value() }
    }
}
