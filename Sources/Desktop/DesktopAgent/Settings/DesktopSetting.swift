// DesktopSetting: one setting of a desktop, wherever that keeps it.

import DBus
import EventLoop

/// A setting that is followed while there is a session bus.
@LoopActor
protocol DesktopSetting: AnyObject {
    /// Called with the value, such as `true`, when it was read and after each change; nil if it has none, or nobody says.
    var onChange: (@LoopActor (String?) -> Void)? { get set }

    func connected(to bus: Bus)
    func disconnected()
    /// Returns once the value has been read.
    func settle() async
}

/// The desktop of this session.
struct SessionDesktop: Sendable {
    /// The names in `XDG_CURRENT_DESKTOP`, the desktop's own first, then those that it is like: `Budgie:GNOME`.
    let names: [String]

    /// The desktops that keep GNOME's own settings.
    static let gnomes: Set = ["GNOME", "Phosh", "Unity"]

    init(environment: [String: String]) {
        names = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map(String.init)
    }
}
