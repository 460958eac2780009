// SoundThemeChoice: the sound theme that the user has chosen for the desktop.

import DBus
import EventLoop
import Sound

/// Follows the desktop's setting: that of GNOME and Phosh, or else that of Xfce. What is no name of a theme does not count.
@LoopActor
final class SoundThemeChoice {
    /// Nil on other desktops.
    private let gnome: DconfSetting?
    private let xfce = XfceSetting("xsettings", "/Net/SoundThemeName")
    private var ofGnome: String?
    private var ofXfce: String?

    /// The name of the theme.
    var name: String { ofGnome ?? ofXfce ?? SoundTheme.fallback }

    init(environment: [String: String]) {
        let isGnome = SessionDesktop(environment: environment).names.contains(where: SessionDesktop.gnomes.contains)
        gnome =
            isGnome
            ? DconfSetting(
                "org.gnome.desktop.sound", "theme-name", in: "/org/gnome/desktop/sound/", environment: environment)
            : nil
        gnome?.onChange = { [weak self] in self?.ofGnome = $0.flatMap(Self.unquoted).flatMap(Self.name) }
        xfce.onChange = { [weak self] value in
            let text: String? = try? value?.value()
            self?.ofXfce = text.flatMap(Self.name)
        }
    }

    func connected(to bus: Bus) {
        gnome?.connected(to: bus)
        xfce.connected(to: bus)
    }

    func disconnected() {
        gnome?.disconnected()
        xfce.disconnected()
    }

    func settle() async { await gnome?.settle() }

    private static func name(_ text: String) -> String? { SoundTheme.isName(text) ? text : nil }

    /// Returns the text that gsettings prints in quotation marks. No theme has a name with characters that it escapes.
    private static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, let mark = text.first, mark == "'" || mark == "\"", text.last == mark,
            !text.contains("\\")
        else { return nil }
        return String(text.dropFirst().dropLast())
    }
}
