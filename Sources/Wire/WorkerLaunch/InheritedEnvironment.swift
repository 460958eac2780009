// What the processes that are started here find in their environment.

internal import CallModel

/// The part of an environment that plugins and helper programs get. All else stays away from them: keys and tokens, the
/// sockets of agents and of the desktop, and what changes how libraries are loaded or run.
enum InheritedEnvironment {
    /// The variables that are passed on.
    private static let names: Set<String> = [
        // Who and where.
        "HOME", "USER", "LOGNAME", "PATH", "TMPDIR",
        // Languages and times; beside `LC_*`.
        "LANG", "LANGUAGE", "TZ",
        // The folders of the XDG base directory specification.
        "XDG_CACHE_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
        "XDG_STATE_HOME",
        // Where sound comes from and goes to: a provider carries its calls' audio itself.
        "PIPEWIRE_REMOTE", "PULSE_SERVER",
        // Which authorities are trusted to vouch for servers.
        "SSL_CERT_DIR", "SSL_CERT_FILE",
        // The bus of the machine's services, such as that of its modems. For that of the session, plugins have a link.
        "DBUS_SYSTEM_BUS_ADDRESS",
        // Where a program that was built to measure coverage writes what it has measured.
        "LLVM_PROFILE_FILE",
    ]
    private static let sessionBus = "DBUS_SESSION_BUS_ADDRESS"
    private static let prefixes = ["LC_", "OPENCALLKIT_"]

    /// The variables that lead to sockets of the machine. A sandboxed worker finds its own, if any, in its policy.
    private static let sockets: Set<String> = [
        "XDG_RUNTIME_DIR", "PIPEWIRE_REMOTE", "PULSE_SERVER", "DBUS_SYSTEM_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS",
    ]
    private static let certificates: Set<String> = ["SSL_CERT_DIR", "SSL_CERT_FILE"]

    /// What a sandboxed worker gets of a part of an environment.
    static func confined(_ part: [String: String], _ granted: Set<Permission>) -> [String: String] {
        part.filter { name, _ in
            !sockets.contains(name) && (granted.contains(.network) || !certificates.contains(name))
        }
    }

    /// - Parameter withSessionBus: Whether the program has the address of the session bus as well.
    static func part(of environment: [String: String], withSessionBus: Bool = false) -> [String: String] {
        var part = environment.filter { name, _ in
            names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
        if withSessionBus { part[sessionBus] = environment[sessionBus] }
        // The backtracer delays the news of a crash, and a wrong argument to libdbus is no reason for one.
        part["SWIFT_BACKTRACE"] = "enable=no"
        part["DBUS_FATAL_WARNINGS"] = "0"
        return part
    }
}
