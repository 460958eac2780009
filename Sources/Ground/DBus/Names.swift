// The names of D-Bus: texts that libdbus accepts as a bus, interface, member or error name.

internal import CDBus
internal import Glibc

/// Names of connections: unique (`:1.7`) or well-known (`org.example.Service`).
public enum BusName {
    public static func isValid(_ text: String) -> Bool {
        isAccepted(text) { dbus_validate_bus_name($0, nil) }
    }

    public static func isUnique(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: ":") && isValid(text)
    }
}

public enum InterfaceName {
    public static func isValid(_ text: String) -> Bool {
        isAccepted(text) { dbus_validate_interface($0, nil) }
    }
}

/// Names of methods, signals and properties.
public enum MemberName {
    public static func isValid(_ text: String) -> Bool { isAccepted(text) { dbus_validate_member($0, nil) } }
}

public enum ErrorName {
    public static func isValid(_ text: String) -> Bool {
        isAccepted(text) { dbus_validate_error_name($0, nil) }
    }
}

/// Whether libdbus accepts the text, all of it: C ends a text at its first NUL.
func isAccepted(_ text: String, _ test: (UnsafePointer<CChar>) -> dbus_bool_t) -> Bool {
    !text.hasNUL && text.withCString { test($0) != 0 }
}

/// Throws unless `isValid` holds of the name.
func check(_ text: String, _ kind: String, _ isValid: (String) -> Bool) throws(DBusError) {
    guard isValid(text) else {
        throw DBusError(DBusError.Name.invalidArgs, "\"\(text.escapedForMessages)\" is not \(kind)")
    }
}

extension String {
    var hasNUL: Bool {
        var text = self
        return text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
    }

    /// The text without control characters and not longer than a line or two.
    var escapedForMessages: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(200) {
            scalars.append(scalar.value < 32 || scalar.value == 127 ? "?" : scalar)
        }
        return String(scalars)
    }
}
