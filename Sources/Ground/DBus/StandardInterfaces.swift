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

// MARK: org.freedesktop.DBus.Properties

extension ObjectTree {
    func get(_ context: CallContext) throws {
        let names: Struct<String, String> = try context.message.readChecked()
        let (interface, name) = names.fields
        let (binding, property) = try property(name, interface, node(context.path.text))
        try permit?(MemberUse(.read, name, of: interface), context)
        let object = substitute?(context)?(binding.object) ?? binding.object
        context.answer {
            let reply = try context.message.emptyReply()
            try reply.write { (writer) throws(DBusError) in try property.append(object, &writer) }
            return reply
        }
    }

    func set(_ context: CallContext) throws {
        let answersLater = try context.message.read { reader throws(DBusError) in
            let interface = try reader.read(String.self)
            let name = try reader.read(String.self)
            let (binding, property) = try property(name, interface, node(context.path.text))
            try permit?(MemberUse(.write, name, of: interface), context)
            guard let set = property.set else {
                throw DBusError(DBusError.Name.propertyReadOnly, "property \(name) is read-only")
            }
            let found = try reader.variantSignature()
            guard found == property.signature else {
                throw DBusError(
                    invalidArgumentsErrorName, "\(name): expected type \(property.signature), found \(found)")
            }
            do {
                try set(binding.object, context, &reader)
            } catch {
                throw DBusError(converting: error)
            }
            return property.answersLater
        }
        if !answersLater { context.answer { try context.message.emptyReply() } }
    }

    private func getAll(_ context: CallContext) throws {
        let node = try node(context.path.text)
        let interface = try context.message.read(String.self)
        var bindings = interface.isEmpty ? node.bindings : [try binding(interface, node)]
        if let substitution = substitute?(context) { bindings = substituted(bindings, substitution) }
        let hides = conceal?(context)
        for binding in bindings {
            for property in shown(binding.table.orderedProperties, of: binding, at: node.path, hides) {
                try permit?(MemberUse(.read, property.name, of: binding.table.name), context)
            }
        }
        context.answer {
            try message({ () throws(DBusError) in try context.message.emptyReply() }) {
                (writer, filter) throws(DBusError) in
                try writer.array(of: "{sv}") { (writer) throws(DBusError) in
                    for binding in bindings {
                        let all = shown(properties(of: binding, filter), of: binding, at: node.path, hides)
                        try append(all, of: binding, to: &writer)
                    }
                }
            }
        }
    }

    private func substituted(_ bindings: [Binding], _ substitution: Substitution) -> [Binding] {
        bindings.map { Binding(table: $0.table, object: substitution($0.object)) }
    }

    /// The properties that a caller is shown.
    func shown(
        _ properties: [PropertyDescription], of binding: Binding, at path: ObjectPath, _ hides: Concealment?
    ) -> [PropertyDescription] {
        guard let hides else { return properties }
        return properties.filter { !hides(MemberUse(.read, $0.name, of: binding.table.name), path) }
    }

    private func property(
        _ name: String, _ interface: String, _ node: Node
    ) throws(DBusError) -> (Binding, PropertyDescription) {
        let binding = try binding(interface, node)
        guard let property = binding.table.properties[name] else {
            throw DBusError(
                DBusError.Name.unknownProperty, "no property \"\(name.escapedForMessages)\" in \(interface)")
        }
        return (binding, property)
    }

    /// Returns the properties of an object in their order.
    ///
    /// - Parameter filter: leaves out those that cannot be read or cannot travel.
    func properties(of binding: Binding, _ filter: Bool) -> [PropertyDescription] {
        let properties = binding.table.orderedProperties
        return filter ? properties.filter { canTravel($0, of: binding) } : properties
    }

    private func canTravel(_ property: PropertyDescription, of binding: Binding) -> Bool {
        let attempt = try? Message.signal(from: .root, StandardInterface.properties, "Value")
        return (try? attempt?.write { (writer) throws(DBusError) in try property.append(binding.object, &writer) })
            != nil
    }

    /// Appends an entry of `a{sv}` for each property.
    func append(
        _ properties: [PropertyDescription], of binding: Binding, to writer: inout MessageWriter
    ) throws(DBusError) {
        for property in properties {
            try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                try writer.append(property.name)
                try property.append(binding.object, &writer)
            }
        }
    }

    /// Returns a message filled by `write`. If that throws, makes the message again with `filter` set, which leaves out the
    /// properties that cannot be read or cannot travel.
    func message(
        _ make: () throws(DBusError) -> Message,
        _ write: (inout MessageWriter, _ filter: Bool) throws(DBusError) -> Void
    ) throws(DBusError) -> Message {
        for filter in [false, true] {
            let message = try make()
            do throws(DBusError) {
                try message.write { (writer) throws(DBusError) in try write(&writer, filter) }
                return message
            } catch {
                if filter { throw error }
            }
        }
        throw .noMemory
    }

    /// Announces changed properties of an object, with their present values.
    ///
    /// Ignores names that the interface does not have, and properties that never announce.
    public func propertiesChanged(at path: ObjectPath, _ interface: String, _ names: [String]) {
        guard !names.isEmpty, let binding = nodes[path.text]?.binding(interface) else { return }
        var changed: [PropertyDescription] = []
        var invalidated: [String] = []
        for property in binding.table.orderedProperties where names.contains(property.name) {
            switch property.changes {
            case .value where binding.table.announcesValues: changed.append(property)
            case .value, .invalidates: invalidated.append(property.name)
            case .constant, .silent: break
            }
        }
        if changed.isEmpty, invalidated.isEmpty { return }
        broadcast(of: path) { () throws(DBusError) in
            try message(
                { () throws(DBusError) in
                    try Message.signal(
                        from: path, StandardInterface.properties, "PropertiesChanged", binding.table.name)
                },
                { (writer, filter) throws(DBusError) in
                    let missing = filter ? changed.filter { !canTravel($0, of: binding) }.map(\.name).sorted() : []
                    try writer.array(of: "{sv}") { (writer) throws(DBusError) in
                        try append(changed.filter { !missing.contains($0.name) }, of: binding, to: &writer)
                    }
                    try writer.append(invalidated + missing)
                })
        }
    }
}

extension MessageReader {
    /// The signature of the value inside the variant that comes next; the reader stays before it.
    mutating func variantSignature() throws(DBusError) -> String {
        var copy = self
        return try copy.container(ock_type_variant, advancing: false) { (reader) throws(DBusError) in
            try reader.currentSignature()
        }
    }
}

// MARK: org.freedesktop.DBus.ObjectManager

extension ObjectTree {
    private func getManagedObjects(_ context: CallContext) throws {
        let manager = try node(context.path.text)
        let managed = paths.filter { $0 != manager.path && $0.isWithin(manager.path) && isFor(context.sender, $0) }
            .compactMap { nodes[$0.text] }
        let hides = conceal?(context)
        let substitution = substitute?(context)
        context.answer {
            try message({ () throws(DBusError) in try context.message.emptyReply() }) {
                (writer, filter) throws(DBusError) in
                try writer.array(of: "{oa{sa{sv}}}") { (writer) throws(DBusError) in
                    for node in managed {
                        try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                            try writer.append(node.path)
                            let bindings = substitution.map { substituted(node.bindings, $0) } ?? node.bindings
                            try append(bindings, of: node.path, filter, hides, to: &writer)
                        }
                    }
                }
            }
        }
    }

    func announceAdded(_ path: ObjectPath, _ bindings: [Binding]) {
        for manager in managers(above: path) {
            broadcast(of: path) { () throws(DBusError) in
                try message(
                    { () throws(DBusError) in
                        try Message.signal(from: manager, StandardInterface.objectManager, "InterfacesAdded", path)
                    },
                    { (writer, filter) throws(DBusError) in try append(bindings, of: path, filter, to: &writer) })
            }
        }
    }

    func announceRemoved(_ path: ObjectPath, _ interfaces: [String]) {
        if interfaces.isEmpty { return }
        for manager in managers(above: path) {
            broadcast(of: path) { () throws(DBusError) in
                try Message.signal(
                    from: manager, StandardInterface.objectManager, "InterfacesRemoved", path, interfaces)
            }
        }
    }

    private func managers(above path: ObjectPath) -> [ObjectPath] {
        var found: [ObjectPath] = []
        var path = path
        while let parent = path.parent {
            if nodes[parent.text]?.isObjectManager == true { found.append(parent) }
            path = parent
        }
        return found
    }

    /// Appends interfaces with the properties whose values are announced: `a{sa{sv}}`.
    private func append(
        _ bindings: [Binding], of path: ObjectPath, _ filter: Bool, _ hides: Concealment? = nil,
        to writer: inout MessageWriter
    ) throws(DBusError) {
        try writer.array(of: "{sa{sv}}") { (writer) throws(DBusError) in
            for binding in bindings {
                try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                    try writer.append(binding.table.name)
                    try writer.array(of: "{sv}") { (writer) throws(DBusError) in
                        let all = binding.table.announcesValues ? properties(of: binding, filter) : []
                        let shown = shown(all.filter { $0.changes != .invalidates }, of: binding, at: path, hides)
                        try append(shown, of: binding, to: &writer)
                    }
                }
            }
        }
    }
}
