// Property: a property of an interface.

internal import EventLoop

/// How observers learn that a property changed.
public enum PropertyChanges: String, Sendable {
    /// By a signal that carries the value.
    case value = "true"
    /// By a signal without the value, which is not announced with its object either: it is for those who ask.
    case invalidates
    /// It never changes.
    case constant = "const"
    /// Not at all.
    case silent = "false"
}

/// A property: `Property("State") { $0.state }`, `Property("Volume", get: { $0.volume }, set: { $0.volume = $2 })`. With
/// `setLater` in place of `set`, the handler answers through its invocation.
public struct Property<Object: AnyObject>: Sendable {
    let member: Member<Object>

    /// A property that cannot be set from outside.
    public init<Value: DBusType & Equatable, Failure: Error>(
        _ name: String, changes: PropertyChanges = .value, deprecated: Bool = false,
        annotations: [String: String] = [:], _ get: @escaping @LoopActor (Object) throws(Failure) -> Value
    ) {
        self.init(name, changes, deprecated, annotations, get, set: nil)
    }

    /// A property that can be set. `set` gets the object, the circumstances and the value.
    public init<Value: DBusType & Equatable, GetFailure: Error, SetFailure: Error>(
        _ name: String, changes: PropertyChanges = .value, deprecated: Bool = false,
        annotations: [String: String] = [:], get: @escaping @LoopActor (Object) throws(GetFailure) -> Value,
        set: @escaping @LoopActor (Object, CallContext, Value) throws(SetFailure) -> Void
    ) {
        self.init(name, changes, deprecated, annotations, get) { object, context, reader in
            let value = try reader.read(Boxed<Value>.self).value
            try set(unsafeDowncast(object, to: Object.self), context, value)
        }
    }

    /// A property that can be set. `setLater` gets the object, the call to answer and the value. An error that it throws is
    /// the answer.
    public init<Value: DBusType & Equatable, GetFailure: Error, SetFailure: Error>(
        _ name: String, changes: PropertyChanges = .value, deprecated: Bool = false,
        annotations: [String: String] = [:], get: @escaping @LoopActor (Object) throws(GetFailure) -> Value,
        setLater: @escaping @LoopActor (Object, VoidInvocation, Value) throws(SetFailure) -> Void
    ) {
        self.init(name, changes, deprecated, annotations, get, answersLater: true) { object, context, reader in
            let value = try reader.read(Boxed<Value>.self).value
            let invocation = VoidInvocation(context)
            do {
                try setLater(unsafeDowncast(object, to: Object.self), invocation, value)
            } catch {
                invocation.fail(error)
            }
        }
    }

    /// A property that a table has, and that cannot be set from outside. `append` writes a variant of this signature.
    public init(
        _ name: String, _ signature: String, changes: PropertyChanges,
        append: @escaping @LoopActor (Object, inout MessageWriter) throws(DBusError) -> Void,
        differs: @escaping @LoopActor (Object, Object) -> Bool
    ) {
        let property = PropertyDescription(
            name: name, signature: signature, changes: changes,
            append: { object, writer throws(DBusError) in
                try append(unsafeDowncast(object, to: Object.self), &writer)
            },
            differs: { differs(unsafeDowncast($0, to: Object.self), unsafeDowncast($1, to: Object.self)) },
            set: nil, answersLater: false)
        member = Member(description: MemberDescription(name, [:], deprecated: false, .property(property)))
    }

    private init<Value: DBusType & Equatable, Failure: Error>(
        _ name: String, _ changes: PropertyChanges, _ deprecated: Bool, _ annotations: [String: String],
        _ get: @escaping @LoopActor (Object) throws(Failure) -> Value, answersLater: Bool = false,
        set: (@LoopActor (AnyObject, CallContext, inout MessageReader) throws -> Void)?
    ) {
        let property = PropertyDescription(
            name: name, signature: Value.signature, changes: changes,
            append: { object, writer throws(DBusError) in
                let value: Value
                do {
                    value = try get(unsafeDowncast(object, to: Object.self))
                } catch {
                    throw DBusError(converting: error)
                }
                try writer.variant(value)
            },
            differs: { one, other in
                let (one, other) = (unsafeDowncast(one, to: Object.self), unsafeDowncast(other, to: Object.self))
                return (try? get(one)) != (try? get(other))
            },
            set: set, answersLater: answersLater)
        member = Member(description: MemberDescription(name, annotations, deprecated: deprecated, .property(property)))
    }
}
