// From a method call to the handler that answers it.

internal import EventLoop

extension ObjectTree {
    /// Answers a method call. `serve(on:)` has this called for all that a channel receives.
    public func handle(_ message: Message, on channel: any MessageChannel) {
        let context = CallContext(message: message, channel: channel)
        do {
            try dispatch(context)
        } catch let error as DBusError where error.name == DBusError.Name.limitsExceeded {
            context.fail(DBusError(limitsExceededErrorName, error.message))
        } catch {
            context.fail(error)
        }
    }

    private func dispatch(_ context: CallContext) throws {
        let message = context.message
        guard let path = message.pathText, let member = message.member else { return }
        guard confidants.isEmpty || isFor(context.sender, context.path) else {
            throw DBusError(
                DBusError.Name.accessDenied, "\(path): expected the one client that it is for as the caller")
        }
        let introspectable = member == "Introspect" ? StandardInterface.introspectable : nil
        if let interface = message.interface ?? introspectable {
            let binding = try binding(interface, at: path)
            guard let method = binding.table.methods[member] else {
                throw DBusError(DBusError.Name.unknownMethod, "no method \(member) in \(interface)")
            }
            return try invoke(method, member, binding, context)
        }
        for binding in try node(path).bindings {
            if let method = binding.table.methods[member] {
                return try invoke(method, member, binding, context)
            }
        }
        throw DBusError(DBusError.Name.unknownMethod, "no method \(member) on \(path)")
    }

    private func invoke(
        _ method: MethodDescription, _ name: String, _ binding: Binding, _ context: CallContext
    ) throws {
        try permit?(MemberUse(.call, name, of: binding.table.name), context)
        guard context.message.has(signature: method.inputSignature) else {
            throw DBusError(
                invalidArgumentsErrorName,
                "\(name): expected (\(method.inputSignature)), found (\(context.message.signature))")
        }
        try method.invoke(binding.object, context)
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

    private func binding(_ interface: String, at path: String) throws(DBusError) -> Binding {
        if interface == StandardInterface.peer { return Binding(table: Self.peer.table, object: self) }
        if interface == StandardInterface.introspectable {
            return Binding(table: Self.introspectable.table, object: self)
        }
        let node = try node(path)
        switch interface {
        case StandardInterface.properties: return Binding(table: Self.properties.table, object: self)
        case StandardInterface.objectManager where node.isObjectManager:
            return Binding(table: Self.objectManager.table, object: self)
        default: return try binding(interface, node)
        }
    }

    /// The introspection document of an object, or of a path that has objects below it. Nil for other paths but the root.
    public func introspect(_ path: ObjectPath) -> String? {
        let node = nodes[path.text]
        let below = children[path.text]
        guard node != nil || below != nil || path == .root else { return nil }
        var tables = [Self.peer.table, Self.introspectable.table]
        if let node {
            tables.append(Self.properties.table)
            if node.isObjectManager { tables.append(Self.objectManager.table) }
            tables += node.bindings.map(\.table)
        }
        return Introspection.document(tables.map(\.introspectionXML), children: below.map { Array($0.keys) } ?? [])
    }
}
