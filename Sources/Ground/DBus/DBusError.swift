// DBusError: an error as it travels on a bus.

internal import CDBus

/// An error with a D-Bus error name and a text for people.
public struct DBusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A dotted name, such as `org.freedesktop.DBus.Error.Failed`.
    public var name: String
    public var message: String

    public init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    /// `error` itself if it has a name on the bus, else `Failed` with its description.
    public init(converting error: any Error) {
        switch error {
        case let error as DBusError: self = error
        case let error as any DBusErrorConvertible: self = error.dbusError
        default: self.init(Name.failed, "\(error)")
        }
    }

    public var description: String { "\(name): \(message)" }

    /// The names that the D-Bus specification or its reference implementation defines.
    public enum Name {
        public static let failed = "org.freedesktop.DBus.Error.Failed"
        public static let noReply = "org.freedesktop.DBus.Error.NoReply"
        public static let timeout = "org.freedesktop.DBus.Error.Timeout"
        public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
        public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
        public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        public static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
        public static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
        public static let invalidArgs = "org.freedesktop.DBus.Error.InvalidArgs"
        public static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
        public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
        public static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
        public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
        public static let notSupported = "org.freedesktop.DBus.Error.NotSupported"
        public static let noMemory = "org.freedesktop.DBus.Error.NoMemory"
        public static let inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"
    }

    static let noDescriptors = DBusError(Name.notSupported, "the bus carries no descriptors")
    static let noMemory = DBusError(Name.noMemory, "out of memory")
    public static let disconnected = DBusError(Name.disconnected, "the connection is closed")
}

/// An error that knows its name on the bus. Handlers may throw it.
public protocol DBusErrorConvertible: Error {
    var dbusError: DBusError { get }
}

extension DBusError {
    /// Runs a call of libdbus that reports failure through a C error.
    static func catching<Value>(_ body: (UnsafeMutablePointer<CDBus.DBusError>) -> Value?) throws(DBusError) -> Value {
        var failure = CDBus.DBusError()
        dbus_error_init(&failure)
        defer { dbus_error_free(&failure) }
        if let value = body(&failure), dbus_error_is_set(&failure) == 0 { return value }
        guard let name = failure.name, let message = failure.message else { throw .noMemory }
        throw DBusError(String(cString: name), String(cString: message))
    }
}
