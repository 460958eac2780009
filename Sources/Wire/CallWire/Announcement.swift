// Announcement: what a signal tells of the daemon's objects.

public import DBus
public import EventLoop

/// An object that is new, has changed or has gone.
public enum Announcement: Sendable {
    case added(ObjectPath, [String: VariantDictionary])
    case changed(ObjectPath, interface: String, VariantDictionary, invalidated: [String])
    case removed(ObjectPath, interfaces: [String])

    /// - Returns: nil for any other signal.
    /// - Throws: `InvalidArgs` if its arguments are of other types.
    @LoopActor
    public init?(_ signal: Message) throws(DBusError) {
        switch (signal.interface, signal.member) {
        case (StandardInterface.objectManager, "InterfacesAdded"):
            let (object, interfaces) = try signal.read(ObjectPath.self, [String: VariantDictionary].self)
            self = .added(object, interfaces)
        case (StandardInterface.objectManager, "InterfacesRemoved"):
            let (object, interfaces) = try signal.read(ObjectPath.self, [String].self)
            self = .removed(object, interfaces: interfaces)
        case (StandardInterface.properties, "PropertiesChanged"):
            guard let path = signal.path else { return nil }
            let (interface, values, invalidated) = try signal.read(String.self, VariantDictionary.self, [String].self)
            self = .changed(path, interface: interface, values, invalidated: invalidated)
        default: return nil
        }
    }
}
