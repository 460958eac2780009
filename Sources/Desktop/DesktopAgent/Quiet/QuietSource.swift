// QuietSource: where each desktop keeps its Do Not Disturb.

import DBus

/// A desktop's own Do Not Disturb.
struct QuietSource: Sendable {
    enum Place: Sendable {
        /// A service on the session bus tells it, on whatever desktop.
        case service(QuietService)
        /// A setting in dconf, and the value that means quiet. `folder` is where the schema is.
        case dconf(_ schema: String, in: String, _ key: String, quiet: String)
        /// A setting in a file, which is off if it is not there, and the value that means quiet.
        case file(_ name: String, _ place: (section: String, key: String)?, quiet: String)
    }

    /// The source in `SetQuiet` and `callctl dnd`.
    let name: String
    /// The desktops whose own it is, by their names in `XDG_CURRENT_DESKTOP`; none for servers that people choose on any.
    let desktops: Set<String>
    let place: Place

    init(_ name: String, of desktops: Set<String> = [], _ place: Place) {
        self.name = name
        self.desktops = desktops
        self.place = place
    }

    static let all = [
        QuietSource("dunst", .service(.dunst)), QuietSource("mako", .service(.mako)),
        QuietSource("swaync", .service(.swaync)), QuietSource("KDE", of: ["KDE"], .service(.plasma)),
        QuietSource("Xfce", of: ["XFCE"], .service(.xfce)),
        // Budgie 10.7 does not read GNOME's setting, though it calls itself Budgie:GNOME.
        QuietSource("Budgie", of: ["Budgie"], .service(.budgie)),
        QuietSource(
            "GNOME", of: SessionDesktop.gnomes,
            .dconf(
                "org.gnome.desktop.notifications", in: "/org/gnome/desktop/notifications/", "show-banners",
                quiet: "false")),
        QuietSource(
            "Cinnamon", of: ["X-Cinnamon", "Cinnamon"],
            .dconf(
                "org.cinnamon.desktop.notifications", in: "/org/cinnamon/desktop/notifications/",
                "display-notifications", quiet: "false")),
        QuietSource(
            "MATE", of: ["MATE"],
            .dconf(
                "org.mate.NotificationDaemon", in: "/org/mate/notification-daemon/", "do-not-disturb", quiet: "true")),
        QuietSource(
            "Pantheon", of: ["Pantheon"],
            .dconf("io.elementary.notifications", in: "/io/elementary/notifications/", "do-not-disturb", quiet: "true")),
        QuietSource(
            "LXQt", of: ["LXQt"], .file("lxqt/notifications.conf", ("[General]", "doNotDisturb"), quiet: "true")),
        QuietSource(
            "COSMIC", of: ["COSMIC"],
            .file("cosmic/com.system76.CosmicNotifications/v1/do_not_disturb", nil, quiet: "true")),
    ]

    /// Returns the source that a desktop has by itself; nil if none is known.
    static func own(of desktop: SessionDesktop) -> QuietSource? {
        desktop.names.lazy.compactMap { name in all.first { $0.desktops.contains(name) } }.first
    }
}
