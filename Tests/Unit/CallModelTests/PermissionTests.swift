// The words of permissions, and what is granted to no plugin.

import CallModel
import Testing

@Suite struct PermissionTests {
    @Test(arguments: [
        ("network", Permission.network), ("audio", .audio),
        ("session-bus:org.example.Name", .sessionBus("org.example.Name")),
        ("system-bus:org.freedesktop.ModemManager1", .systemBus("org.freedesktop.ModemManager1")),
        ("system-bus:org.ofono", .systemBus("org.ofono")), ("files:xdg-config/phone", .files("xdg-config/phone")),
        ("files:~/Phone book.vcf", .files("~/Phone book.vcf")), ("files:xdg-music", .files("xdg-music")),
        ("files:xdg-config/opencallkit/lists", .files("xdg-config/opencallkit/lists")),
        ("files:xdg-config/opencallkit/lists/mine.txt", .files("xdg-config/opencallkit/lists/mine.txt")),
        ("files:~/.var/app/org.example.Phone/data", .files("~/.var/app/org.example.Phone/data")),
        ("devices:serial", .devices(.serial)), ("devices:sound", .devices(.sound)),
        ("devices:camera", .devices(.camera)),
    ])
    func words(text: String, permission: Permission) throws {
        #expect(try Permission(text) == permission)
        #expect(permission.text == text)
    }

    private func refusal(_ text: String) -> CallError? {
        do throws(CallError) {
            _ = try Permission(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "", " ", "Network", "network ", " network", "network:", "network:all", "audio:", "files", "files:", "devices",
        "devices:", "devices:usb", "devices:Serial", "session-bus", "session-bus:", "bus:org.example.Name", "root", ":",
        "network;audio", "network\n", "network\u{0}", "session-bus :org.example.Name", "\u{202E}network",
    ])
    func noPermission(text: String) {
        let refusal = refusal(text)
        #expect(refusal?.code == .notSupported)
        #expect(refusal?.message.contains("expected") == true, "\(refusal?.message ?? "accepted")")
        #expect(refusal?.message.unicodeScalars.contains { $0.isUnsafeInText } == false)
    }

    @Test(arguments: [
        "org", ":1.7", "org.example.*", "*", "org.example.", ".org.example", "org..example", "org.1example",
        "org.exa mple",
        "org.example.Nämn", "org.example/Name", "org.example.Name=org.example.*@/*", "org.example.Name\t", "org.*.Name",
        "a." + String(repeating: "b", count: 254),
    ])
    func noService(name: String) {
        for bus in ["session-bus", "system-bus"] {
            #expect(refusal("\(bus):\(name)")?.message.contains("well-known name") == true)
        }
    }

    /// What starts programs, shows secrets or decides what programs may do; whatever the case, and what is below.
    @Test(arguments: [
        "org.opencallkit", "org.opencallkit.Calls", "org.OpenCallKit.private.Store", "org.freedesktop.DBus",
        "org.freedesktop.DBus.Debug", "ORG.FREEDESKTOP.DBUS", "org.freedesktop.systemd1", "org.freedesktop.Systemd1",
        "org.freedesktop.Flatpak", "org.freedesktop.PolicyKit1", "org.freedesktop.login1", "org.freedesktop.secrets",
        "org.freedesktop.impl.portal.PermissionStore", "org.freedesktop.impl.portal.desktop.gnome",
        "org.freedesktop.portal.Desktop", "org.freedesktop.portal.Flatpak", "org.gnome.Shell",
        "org.gnome.Shell.Screencast",
        "org.gnome.Mutter.RemoteDesktop", "org.kde.plasmashell", "org.kde.PlasmaShell",
        "org.kde.plasmashell.accentColor",
        "org.kde.kwalletd6", "org.kde.kwalletd", "org.kde.krunner", "org.kde.KWin", "org.kde.KWin.ScreenShot2",
        "org.gnome.keyring", "org.gnome.keyring.SystemPrompter", "org.freedesktop.Notifications", "ca.desrt.dconf",
        "org.freedesktop.machine1", "org.kde.kded6", "org.kde.klauncher5", "org.gnome.Terminal",
        "org.gnome.SessionManager", "org.kde.konsole-4711", "org.kde.yakuake", "org.gtk.Notifications",
        "org.gtk.MountOperationHandler", "org.gnome.Magnifier", "com.canonical.Unity",
    ])
    func serviceOfNobody(name: String) {
        for bus in ["session-bus", "system-bus"] {
            #expect(refusal("\(bus):\(name)")?.message.contains("is granted to no plugin") == true, "\(name)")
        }
    }

    /// What only looks like one of those.
    @Test(arguments: [
        "org.opencallkitty.Name", "org.freedesktop.DBusX", "org.gnome.ShellX", "org.kde.kdeconnect",
        "org.kde.konsole_x",
    ])
    func serviceOfSomebody(name: String) throws { #expect(try Permission("session-bus:\(name)").text.hasSuffix(name)) }

    @Test(arguments: [
        "/", "/etc/passwd", "/home/user/x", "x", "./x", "../x", "~", "~/", "~/.", "~/..", "~/../x", "~/x/../y",
        "~/x//y",
        "~/x/", "~user/x", "xdg-config", "xdg-config/", "xdg-data", "xdg-config/../.ssh", "xdg-run/x", "xdg-cache/x",
        "xdg-music/", "XDG-MUSIC", "$HOME/x", "~/x;y", "~/x=y", "~/x*", "~/x\\y", "~/x\ty", "~/x\ny", "~/x\u{0}",
        "~/x ",
        "~/\u{FFFD}", "~/\u{202E}x", "~/.ssh", "~/.ssh/id_ed25519", "~/.SSH/id_ed25519", "~/.gnupg", "~/.pki/nssdb",
        "~/.password-store/x", "~/.local", "~/.local/share", "~/.local/share/keyrings", "~/.config", "~/.config/gh",
        "~/.mozilla/firefox", "xdg-data/keyrings", "xdg-data/keyrings/login.keyring", "xdg-data/kwalletd/x",
        "xdg-config/chromium", "xdg-config/opencallkit", "xdg-config/opencallkit/permissions",
        "xdg-config/opencallkit/listsx", "xdg-config/OpenCallKit/permissions", "~/.config/opencallkit/accounts",
        "xdg-data/opencallkit", "xdg-data/opencallkit/plugins/Other.callplugin", "~/.local/state/opencallkit/plugins",
        "~/.cache/opencallkit", "~/.netrc", "~/.git-credentials", "~/.aws/credentials", "~/.docker/config.json",
        "~/.var", "~/.var/app", "~/.var/app/org.mozilla.firefox/.mozilla", "~/snap", "~/snap/firefox/common",
        "xdg-config/BraveSoftware", "xdg-config/Bitwarden/data.json",
    ])
    func noPlace(path: String) {
        let refusal = refusal("files:\(path)")
        #expect(refusal?.code == .notSupported, "\(path)")
        #expect(refusal?.message.unicodeScalars.contains { $0.isUnsafeInText } == false)
    }

    @Test func tooLong() {
        let long = "files:~/" + String(repeating: "x", count: Permission.maximumLength)
        #expect(refusal(long)?.message.contains("bytes") == true)
        // Of a letter with ever so many marks, no more is told than of any other text.
        #expect(refusal(String(repeating: "\u{301}", count: 100_000))?.message.utf8.count ?? .max < 10_000)
    }

    @Test func order() throws {
        let texts = [
            "network", "audio", "session-bus:org.a.b", "session-bus:org.a.c", "system-bus:org.a.b", "files:xdg-music",
            "files:~/x", "devices:camera", "devices:serial",
        ]
        #expect(try texts.reversed().map { try Permission($0) }.sorted().map(\.text) == texts)
    }

    @Test func levels() {
        #expect([SandboxLevel.full, .none, .landlock, .syscalls].sorted() == [.none, .syscalls, .landlock, .full])
    }
}
