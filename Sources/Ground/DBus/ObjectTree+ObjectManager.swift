// org.freedesktop.DBus.ObjectManager.

internal import CDBus
internal import EventLoop

extension ObjectTree {
    func getManagedObjects(_ context: CallContext) throws {
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
