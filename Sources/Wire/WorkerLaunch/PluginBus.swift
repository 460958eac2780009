// PluginBus: a bus whose services a plugin may call.

public import CallModel

/// The session bus or the system bus. Raw values are the words of permissions, and the names of folders.
public enum PluginBus: String, Sendable, CaseIterable {
    case session = "session-bus"
    case system = "system-bus"

    /// The address of the bus; nil if the environment has none and there is no default.
    public func address(in environment: [String: String]) -> String? {
        let (variable, standard): (String, String?) =
            switch self {
            case .session: ("DBUS_SESSION_BUS_ADDRESS", nil)
            case .system: ("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/run/dbus/system_bus_socket")
            }
        return environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? standard
    }

    /// The well-known names on this bus that the permissions name, in the order of the permissions.
    public func services(of permissions: Set<Permission>) -> [String] {
        permissions.sorted().compactMap { permission in
            switch (self, permission) {
            case (.session, .sessionBus(let name)), (.system, .systemBus(let name)): name
            default: nil
            }
        }
    }
}
