// StandardInterface: the interfaces and the bus driver of the D-Bus specification.

/// The interfaces that the specification defines for every object.
public enum StandardInterface {
    public static let introspectable = "org.freedesktop.DBus.Introspectable"
    public static let properties = "org.freedesktop.DBus.Properties"
    public static let peer = "org.freedesktop.DBus.Peer"
    public static let objectManager = "org.freedesktop.DBus.ObjectManager"
}

/// The bus itself, as a peer (`org.freedesktop.DBus`).
public enum BusDriver {
    public static let name = "org.freedesktop.DBus"
    public static let interface = "org.freedesktop.DBus"
    public static let path: ObjectPath = "/org/freedesktop/DBus"
}
