// QuietService: how a service on the session bus tells its Do Not Disturb.

import DBus
import EventLoop

/// A service that is asked when it appears, and again with each of its signals.
struct QuietService: Sendable {
    /// The name of the service.
    let name: String
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

    static let dunst = property(of: notifications, at: notificationsPath, "org.dunstproject.cmd0", "paused")
    static let plasma = property(of: notifications, at: notificationsPath, notifications, "Inhibited")
    static let mako = QuietService(
        name: notifications, path: "/fr/emersion/Mako", interface: "fr.emersion.Mako", member: "ListModes",
        arguments: [], signal: nil
    ) { answer in
        (try? answer.read([String].self)).map { $0.contains("do-not-disturb") || $0.contains("dnd") }
    }
    /// It signals `Subscribe`, from 0.8 on `SubscribeV2`.
    static let swaync = method(
        "GetDnd", of: "org.erikreider.swaync.cc", at: "/org/erikreider/swaync/cc", "org.erikreider.swaync.cc")
    static let budgie = method(
        "GetDoNotDisturb", of: "org.budgie_desktop.Notifications", at: "/org/budgie_desktop/Notifications",
        "org.buddiesofbudgie.budgie.Dispatcher", signal: "DoNotDisturbChanged")
    static let xfce = QuietService(
        name: "org.xfce.Xfconf", path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf", member: "GetProperty",
        arguments: ["xfce4-notifyd", "/do-not-disturb"],
        signal: MatchRule(path: "/org/xfce/Xfconf", interface: "org.xfce.Xfconf", arg0: "xfce4-notifyd")
    ) { try? $0.read(Variant.self).value() }

    private static func method(
        _ member: String, of name: String, at path: ObjectPath, _ interface: String, signal: String? = nil
    ) -> QuietService {
        QuietService(
            name: name, path: path, interface: interface, member: member, arguments: [],
            signal: MatchRule(path: path, interface: interface, member: signal)
        ) { try? $0.read(Bool.self) }
    }

    private static func property(
        of name: String, at path: ObjectPath, _ interface: String, _ property: String
    ) -> QuietService {
        QuietService(
            name: name, path: path, interface: StandardInterface.properties, member: "Get",
            arguments: [interface, property],
            signal: MatchRule(
                path: path, interface: StandardInterface.properties, member: "PropertiesChanged", arg0: interface)
        ) { try? $0.read(Variant.self).value() }
    }

    /// The question that reads it.
    @LoopActor func question() throws(DBusError) -> Message {
        switch arguments.count {
        case 0: try Message.call(to: name, at: path, interface, member)
        default: try Message.call(to: name, at: path, interface, member, arguments[0], arguments[1])
        }
    }
}
