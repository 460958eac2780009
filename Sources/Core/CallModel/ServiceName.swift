// ServiceName: the services of a bus that a plugin can be granted, and those that none is.

/// The well-known names in permissions.
enum ServiceName {
    /// The longest name that D-Bus allows, in bytes.
    private static let maximumLength = 255

    /// Whether the text is one whole well-known name. A unique name says nothing of who has it, and a pattern stands
    /// for services that nobody was shown.
    static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= maximumLength else { return false }
        let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return elements.count >= 2
            && elements.allSatisfy { element in
                guard let first = element.first, !isDigit(first) else { return false }
                return element.allSatisfy(isNameByte)
            }
    }

    /// Tells why this service is granted to no plugin; nil if it can be. The case of letters does not matter: two
    /// services that differ in it alone are made to be mistaken for each other.
    static func refusal(of name: String) -> String? {
        let name = name.lowercased()
        for (services, reason) in refused {
            for service in services where name == service || name.hasPrefix("\(service).") { return reason }
        }
        if name.hasPrefix("org.kde."), name.contains("shell") { return startsPrograms }
        if name.hasPrefix("org.kde."), name.contains("wallet") { return keepsSecrets }
        return nil
    }

    private static let startsPrograms = "it starts programs, or has them started, outside the sandbox"
    private static let keepsSecrets = "it shows the user's secrets"

    /// Each stands for the services below it as well. A process with several names is reached by each of them, so the
    /// other names of desktop shells are here too.
    private static let refused: [(services: [String], reason: String)] = [
        (["org.opencallkit"], "a plugin reaches OpenCallKit over its own link"),
        (["org.freedesktop.dbus"], "it is the bus itself"),
        (
            [
                "org.freedesktop.systemd1", "org.freedesktop.flatpak", "org.freedesktop.machine1",
                "org.freedesktop.portable1", "org.freedesktop.packagekit", "org.gnome.shell", "org.gnome.mutter",
                "org.gnome.terminal", "org.gnome.sessionmanager", "org.freedesktop.notifications", "org.cinnamon",
                "org.mate.panel", "org.xfce", "org.kde.klauncher", "org.kde.klauncher5", "org.kde.krunner",
                "org.kde.kwin", "org.kde.kded", "org.kde.kded5", "org.kde.kded6", "org.kde.kglobalaccel",
                "org.kde.ksmserver", "org.kde.konsole", "sm.puri.phosh", "mobi.phosh", "ca.desrt.dconf",
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

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: isDigit(byte)
        }
    }
}
