// NotificationSwitch: whether the desktop shows the notifications of this application at all.

import DBus
package import EventLoop

/// Follows the settings by which people switch the notifications of one application off. The desktop's server takes what it
/// is told all the same, and shows nothing.
@LoopActor
package final class NotificationSwitch {
    /// GNOME's schema, with the id of org.opencallkit.Phone as GNOME writes it. Phosh and Budgie 10.7 read it too.
    private static let gnomeSchema = "org.gnome.desktop.notifications.application"
    private static let gnomeFolder = "/org/gnome/desktop/notifications/application/org-opencallkit-phone/"
    private static let gnomes = SessionDesktop.gnomes.union(["Budgie"])

    private let settings: [any DesktopSetting]
    /// The settings, by their places in `settings`, that are off.
    private var off: Set<Int> = []
    private let desktop: String

    init(environment: [String: String]) {
        let names = SessionDesktop(environment: environment).names
        desktop = names.first { Self.gnomes.contains($0) || $0 == "KDE" } ?? ""
        switch desktop {
        case "": settings = []
        case "KDE":
            settings = [
                FileSetting(
                    "plasmanotifyrc", ("[Applications][org.opencallkit.Phone]", "ShowPopups"), environment: environment)
            ]
        default:
            settings = ["enable", "show-banners"].map { key in
                DconfSetting(
                    "\(Self.gnomeSchema):\(Self.gnomeFolder)", key, in: Self.gnomeFolder, environment: environment)
            }
        }
        for (index, setting) in settings.enumerated() {
            setting.onChange = { [weak self] value in
                if value == "false" { self?.off.insert(index) } else { self?.off.remove(index) }
            }
        }
    }

    /// Why nothing is shown, for people; nil if the desktop does not keep it from being shown.
    package var complaint: String? {
        off.isEmpty ? nil : "\(desktop) shows none: they are switched off in its settings"
    }

    func connected(to bus: Bus) { for setting in settings { setting.connected(to: bus) } }

    func disconnected() { for setting in settings { setting.disconnected() } }

    func settle() async { for setting in settings { await setting.settle() } }
}
