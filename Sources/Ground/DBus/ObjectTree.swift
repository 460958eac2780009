// ObjectTree: the objects that a program exports, by path.

public import EventLoop

/// Serves objects on any number of channels: their interfaces, and `Introspectable`, `Properties`, `Peer` and
/// `ObjectManager` beside them.
@LoopActor
public final class ObjectTree {
    struct Binding {
        let table: InterfaceTable
        let object: AnyObject
    }

    final class Node {
        let path: ObjectPath
        var bindings: [Binding] = []
        var isObjectManager = false

        init(_ path: ObjectPath) {
            self.path = path
        }

        func binding(_ interface: String) -> Binding? { bindings.first { $0.table.name == interface } }
    }

    struct Audience {
        weak var channel: (any MessageChannel)?
        let isAnnouncedTo: Bool
    }

    let invalidArgumentsErrorName: String
    private let limitsExceededErrorName: String
    /// Returns a better error than UnknownObject for a path without an object, for instance that the object is gone.
    public var explainMissing: (@LoopActor (String) -> DBusError?)?
    /// Decides whether a call on a served channel is kept, to be passed to `handle` later.
    public var postpone: (@LoopActor (Message, any MessageChannel) -> Bool)?
    /// Throws the error for a call that may not use a member. Asked once for each member that a call uses: for a
    /// method, and beside `Get`, `Set` and `GetAll` for each property. Nil lets every call use all of them.
    public var permit: (@LoopActor (MemberUse, CallContext) throws(DBusError) -> Void)?
    /// Returns which properties `GetAll` and `GetManagedObjects` leave out for a caller, by the object's path; nil for
    /// a caller that is shown all.
    public var conceal: (@LoopActor (CallContext) -> Concealment?)?
    public typealias Concealment = @LoopActor (MemberUse, ObjectPath) -> Bool
    /// Returns, for a caller of `Get`, `GetAll` or `GetManagedObjects`, how to replace each object before its properties
    /// are read, by one of the same type; nil for a caller that reads the objects themselves. Signals always show those.
    public var substitute: (@LoopActor (CallContext) -> Substitution?)?
    public typealias Substitution = @LoopActor (AnyObject) -> AnyObject
    /// The one client that the objects at and below a path are for. The calls of all others are refused, and the signals of
    /// these objects go to it alone. A client that has left may stay here: nobody gets its name again.
    public var confidants: [ObjectPath: String] = [:]
    private(set) var nodes: [String: Node] = [:]
    /// The names of the children of each path that is an object or has one below it, with how many lie there.
    private(set) var children: [String: [String: Int]] = [:]
    private var audiences: [Audience] = []

    /// - Parameters:
    ///   - invalidArgumentsErrorName: the name of the error for arguments of wrong types.
    ///   - limitsExceededErrorName: the name of the error for arguments that are too large.
    public init(
        invalidArgumentsErrorName: String = DBusError.Name.invalidArgs,
        limitsExceededErrorName: String = DBusError.Name.limitsExceeded
    ) {
        self.invalidArgumentsErrorName = invalidArgumentsErrorName
        self.limitsExceededErrorName = limitsExceededErrorName
    }

    // MARK: channels

    /// Answers the method calls of a channel, without keeping it alive.
    ///
    /// - Parameter announcing: whether signals go there too.
    public func serve(on channel: any MessageChannel, announcing: Bool = true) {
        unserve(channel)
        audiences.append(Audience(channel: channel, isAnnouncedTo: announcing))
        channel.onCall = { [weak self, weak channel] message in
            guard let self, let channel, postpone?(message, channel) != true else { return }
            handle(message, on: channel)
        }
    }

    public func unserve(_ channel: any MessageChannel) {
        if audiences.contains(where: { $0.channel === channel }) { channel.onCall = nil }
        audiences.removeAll { $0.channel == nil || $0.channel === channel }
    }

    // MARK: objects

    /// Exports an object. A path that exists gets the interfaces in addition; an interface of the same name is
    /// replaced.
    ///
    /// - Parameter objectManager: whether this object announces those below it.
    public func export<Object: AnyObject>(
        _ object: Object, at path: ObjectPath, _ interfaces: Interface<Object>..., objectManager: Bool = false
    ) {
        let node = nodes[path.text] ?? insert(path)
        if objectManager { node.isObjectManager = true }
        let added = interfaces.map { Binding(table: $0.table, object: object) }
        for binding in added {
            node.bindings.removeAll { $0.table.name == binding.table.name }
            node.bindings.append(binding)
        }
        announceAdded(path, added)
    }

    /// Removes an object and announces it.
    public func remove(_ path: ObjectPath) {
        guard let node = nodes[path.text] else { return }
        delete(path)
        announceRemoved(path, node.bindings.map(\.table.name))
    }

    /// Takes one interface away from an object, and the object with its last one.
    public func remove(_ path: ObjectPath, interface: String) {
        guard let node = nodes[path.text], node.binding(interface) != nil else { return }
        node.bindings.removeAll { $0.table.name == interface }
        if node.bindings.isEmpty { delete(path) }
        announceRemoved(path, [interface])
    }

    func confidant(of path: ObjectPath) -> String? {
        confidants.first { path.isWithin($0.key) }?.value
    }

    /// Whether a client may call an object.
    func isFor(_ client: String?, _ path: ObjectPath) -> Bool { confidant(of: path).map { $0 == client } ?? true }

    /// The object at a path: that of its first interface.
    public func object(at path: ObjectPath) -> AnyObject? { nodes[path.text]?.bindings.first?.object }

    /// The paths of all objects, in order.
    public var paths: [ObjectPath] { nodes.values.map(\.path).sorted() }

    private func insert(_ path: ObjectPath) -> Node {
        let node = Node(path)
        nodes[path.text] = node
        count(path, 1)
        return node
    }

    private func delete(_ path: ObjectPath) {
        nodes[path.text] = nil
        count(path, -1)
    }

    /// Counts an object in or out in all paths above it.
    private func count(_ path: ObjectPath, _ change: Int) {
        var child = path
        while let parent = child.parent {
            let number = children[parent.text]?[child.lastElement] ?? 0
            children[parent.text, default: [:]][child.lastElement] = number + change > 0 ? number + change : nil
            if children[parent.text]?.isEmpty == true { children[parent.text] = nil }
            child = parent
        }
    }
}

// MARK: from a method call to the handler that answers it

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
                DBusError.Name.unknownInterface, "no interface \"\(interface.escapedForMessages)\" on \(node.path)")
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

// MARK: signals of the objects

extension ObjectTree {
    /// Sends a signal of an object on all channels that receive signals. A signal that cannot be encoded is dropped.
    func broadcast(of path: ObjectPath, _ make: () throws(DBusError) -> Message) {
        let confidant = confidant(of: path)
        var message: Message?
        for audience in audiences where audience.isAnnouncedTo {
            guard let channel = audience.channel, channel.isOpen else { continue }
            guard let next = try? message?.copy() ?? make(), confidant.map(next.direct(to:)) ?? true else { return }
            channel.send(next)
            message = next
        }
    }

    /// Emits a signal of an object.
    public func emit<each Argument: DBusType>(
        _ signal: Signal<repeat each Argument>, from path: ObjectPath, _ arguments: repeat each Argument,
        to destination: String? = nil
    ) {
        broadcast(of: path) { () throws(DBusError) in
            try Message.signal(
                from: path, signal.interface, signal.name, repeat each arguments, to: destination)
        }
    }
}
