// From a method call to the handler that answers it.

internal import CDBus
internal import EventLoop

extension ObjectTree {
    /// Answers a method call. `serve(on:)` has this called for all that a channel receives.
    public func handle(_ message: Message, on channel: any MessageChannel) {
        let context = CallContext(message: message, channel: channel)
        do {
            try dispatch(context)
        } catch {
            context.fail(error)
        }
    }

    private func dispatch(_ context: CallContext) throws {
        let message = context.message
        guard let path = message.pathText, let member = message.member else { return }
        let interface = message.interface
        if interface == StandardInterface.properties { return try dispatchProperties(context) }
        if interface == StandardInterface.peer { return try dispatchPeer(context, member) }
        if interface == StandardInterface.introspectable || interface == nil && member == "Introspect" {
            return try dispatchIntrospectable(context, member)
        }
        let node = try node(path)
        if let interface {
            if interface == StandardInterface.objectManager, node.isObjectManager {
                return try dispatchObjectManager(context, node, member)
            }
            let binding = try binding(interface, node)
            guard let method = binding.table.methods[member] else { throw unknownMethod(member, interface) }
            try invoke(method, member, on: binding.object, context)
        } else {
            for binding in node.bindings {
                if let method = binding.table.methods[member] {
                    return try invoke(method, member, on: binding.object, context)
                }
            }
            throw DBusError(DBusError.Name.unknownMethod, "no method \(member) on \(path)")
        }
    }

    private func invoke(
        _ method: MethodDescription, _ name: String, on object: AnyObject, _ context: CallContext
    ) throws {
        try check(context.message, method.inputSignature, name)
        try method.invoke(object, context)
    }

    func check(_ message: Message, _ signature: String, _ method: String) throws(DBusError) {
        guard message.has(signature: signature) else {
            throw DBusError(
                invalidArgumentsErrorName, "\(method): expected (\(signature)), found (\(message.signature))")
        }
    }

    func node(_ path: String) throws(DBusError) -> Node {
        guard let node = nodes[path] else {
            throw explainMissing?(path) ?? DBusError(DBusError.Name.unknownObject, "no object \(path)")
        }
        return node
    }

    func binding(_ interface: String, _ node: Node) throws(DBusError) -> Binding {
        guard let binding = node.binding(interface) else {
            throw DBusError(
                DBusError.Name.unknownInterface, "no interface \(interface.escapedForMessages) on \(node.path)")
        }
        return binding
    }

    func unknownMethod(_ member: String, _ interface: String) -> DBusError {
        DBusError(DBusError.Name.unknownMethod, "no method \(member) in \(interface)")
    }

    private func dispatchPeer(_ context: CallContext, _ member: String) throws {
        try check(context.message, "", member)
        switch member {
        case "Ping":
            context.answer { try context.message.emptyReply() }
        case "GetMachineId":
            let identifier = try DBusError.catching { failure in
                dbus_try_get_local_machine_id(failure).map { text in
                    defer { dbus_free(text) }
                    return String(cString: text)
                }
            }
            context.answer { try context.message.reply(identifier) }
        default:
            throw unknownMethod(member, StandardInterface.peer)
        }
    }

    private func dispatchIntrospectable(_ context: CallContext, _ member: String) throws {
        guard member == "Introspect" else { throw unknownMethod(member, StandardInterface.introspectable) }
        try check(context.message, "", member)
        let path = context.path
        guard let xml = introspect(path) else { throw DBusError(DBusError.Name.unknownObject, "no object \(path)") }
        context.answer { try context.message.reply(xml) }
    }

    /// The introspection document of an object, or of a path that has objects below it. Nil for other paths but the root.
    public func introspect(_ path: ObjectPath) -> String? {
        let node = nodes[path.text]
        let below = children[path.text]
        guard node != nil || below != nil || path == .root else { return nil }
        var interfaces = [StandardInterface.peerXML, StandardInterface.introspectableXML]
        if let node {
            interfaces.append(StandardInterface.propertiesXML)
            if node.isObjectManager { interfaces.append(StandardInterface.objectManagerXML) }
            interfaces += node.bindings.map(\.table.introspectionXML)
        }
        return Introspection.document(interfaces, children: below.map { Array($0.keys) } ?? [])
    }
}
