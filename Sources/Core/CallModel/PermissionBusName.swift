// PermissionBusName: the well-known names of session-bus:NAME and system-bus:NAME, and those that are never granted.

/// Decides which D-Bus services a permission can name.
enum PermissionBusName {
    /// The longest name that D-Bus allows, in bytes.
    private static let maximumLength = 255

    /// Whether the text is one whole well-known name, as the D-Bus specification defines it. Unique names (`:1.42`) are
    /// not valid, because they do not identify a service; nor are patterns (`org.example.*`), because the user would
    /// not see what they grant.
    static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= maximumLength else { return false }
        let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count >= 2
            && elements.allSatisfy { element in
                guard let first = element.first, !first.isASCIIDigit else { return false }
                return element.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
            }
    }

    /// Returns why this service is never granted; nil if it can be granted. Letter case is ignored, because a name that
    /// differs from another one in case alone is likely to be an imitation.
    static func refusal(of name: String) -> String? {
        let name = name.lowercased()
        for (services, reason) in refused {
            for service in services where name == service || name.hasPrefix("\(service).") { return reason }
            // Programs of KDE have their process ids at the end of their names.
            for service in services where name.hasPrefix("\(service)-") { return reason }
        }
        if name.hasPrefix("org.kde."), name.contains("shell") { return startsPrograms }
        if name.hasPrefix("org.kde."), name.contains("wallet") { return keepsSecrets }
        return nil
    }

    private static let startsPrograms = "it starts programs, or has them started, outside the sandbox"
    private static let keepsSecrets = "it shows the user's secrets"

    /// Each name stands also for the names below it (`org.example.A` for `org.example.A.B`). A process that owns
    /// several names can be called by any of them, so all names of desktop shells are listed.
    private static let refused: [(services: [String], reason: String)] = [
        (["org.opencallkit"], "a plugin reaches OpenCallKit over its own link"),
        (["org.freedesktop.dbus"], "it is the bus itself"),
        (
            [
                "org.freedesktop.systemd1", "org.freedesktop.flatpak", "org.freedesktop.machine1",
                "org.freedesktop.portable1", "org.freedesktop.packagekit", "org.gnome.shell", "org.gnome.mutter",
                "org.gnome.terminal", "org.gnome.sessionmanager", "org.freedesktop.notifications", "org.cinnamon",
                "org.gtk.notifications", "org.gtk.mountoperationhandler", "org.gnome.magnifier", "com.canonical.unity",
                "org.mate.panel", "org.xfce", "org.kde.klauncher", "org.kde.klauncher5", "org.kde.krunner",
                "org.kde.kwin", "org.kde.kded", "org.kde.kded5", "org.kde.kded6", "org.kde.kglobalaccel",
                "org.kde.ksmserver", "org.kde.konsole", "org.kde.yakuake", "sm.puri.phosh", "mobi.phosh",
                "ca.desrt.dconf",
            ], startsPrograms
        ),
        (
            [
                "org.freedesktop.policykit1", "org.freedesktop.login1", "org.freedesktop.home1",
                "org.freedesktop.accounts", "org.freedesktop.impl.portal", "org.freedesktop.portal",
            ], "it decides what programs may do"
        ),
        (["org.freedesktop.secrets", "org.gnome.keyring", "org.keepassxc"], keepsSecrets),
    ]
}
