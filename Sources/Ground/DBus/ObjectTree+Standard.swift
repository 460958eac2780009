// The interfaces of the D-Bus specification, which a tree serves beside those of its objects.

internal import CDBus
internal import EventLoop

extension ObjectTree {
    static let peer = Interface<ObjectTree>(StandardInterface.peer) {
        Method("Ping") { (_: ObjectTree, _) in }
        Method("GetMachineId", out: ["machine_uuid"]) { (_: ObjectTree, _) throws(DBusError) -> String in
            try DBusError.catching { failure in
                dbus_try_get_local_machine_id(failure).map { text in
                    defer { dbus_free(text) }
                    return String(cString: text)
                }
            }
        }
    }

    static let introspectable = Interface<ObjectTree>(StandardInterface.introspectable) {
        Method("Introspect", out: ["xml"]) { (tree: ObjectTree, context) throws(DBusError) -> String in
            if let xml = tree.introspect(context.path) { return xml }
            throw DBusError(DBusError.Name.unknownObject, "no object \(context.path)")
        }
    }

    static let properties = Interface<ObjectTree>(StandardInterface.properties) {
        ForwardedMethod(
            MethodSignature("Get", in: ["interface_name": "s", "property_name": "s"], out: ["value": "v"])
        ) { (tree: ObjectTree, context) in try tree.get(context) }
        ForwardedMethod(
            MethodSignature("Set", in: ["interface_name": "s", "property_name": "s", "value": "v"])
        ) { (tree: ObjectTree, context) in try tree.set(context) }
        ForwardedMethod(
            MethodSignature("GetAll", in: ["interface_name": "s"], out: ["properties": "a{sv}"])
        ) { (tree: ObjectTree, context) in try tree.getAll(context) }
        Signal<String, VariantDictionary, [String]>(
            StandardInterface.properties, "PropertiesChanged",
            args: ["interface_name", "changed_properties", "invalidated_properties"])
    }

    static let objectManager = Interface<ObjectTree>(StandardInterface.objectManager) {
        ForwardedMethod(
            MethodSignature("GetManagedObjects", out: ["objects": "a{oa{sa{sv}}}"])
        ) { (tree: ObjectTree, context) in try tree.getManagedObjects(context) }
        Signal<ObjectPath, [String: VariantDictionary]>(
            StandardInterface.objectManager, "InterfacesAdded", args: ["object", "interfaces"])
        Signal<ObjectPath, [String]>(
            StandardInterface.objectManager, "InterfacesRemoved", args: ["object", "interfaces"])
    }
}
