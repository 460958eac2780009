// Property: a property of an interface.

internal import EventLoop

/// How observers learn that a property changed.
public enum PropertyChanges: String, Sendable {
    /// By a signal that carries the value.
    case value = "true"
    /// By a signal without the value.
    case invalidates
    /// It never changes.
    case constant = "const"
    /// Not at all.
    case silent = "false"
}

/// A property: `Property("State") { $0.state }`, `Property("Volume", get: { $0.volume }, set: { $0.volume = $2 })`.
public struct Property<Object: AnyObject>: Sendable {
    let member: Member<Object>

    /// A property that cannot be set from outside.
    public init<Value: DBusType, Failure: Error>(
        _ name: String, changes: PropertyChanges = .value, deprecated: Bool = false,
        annotations: [String: String] = [:], _ get: @escaping @LoopActor (Object) throws(Failure) -> Value
    ) {
        let property = PropertyDescription(
            signature: Value.signature, changes: changes, get: Property.getter(get), set: nil)
        member = Member(description: MemberDescription(name, annotations, deprecated: deprecated, .property(property)))
    }

    /// A property that can be set. `set` gets the object, the circumstances and the value.
    public init<Value: DBusType, GetFailure: Error, SetFailure: Error>(
        _ name: String, changes: PropertyChanges = .value, deprecated: Bool = false,
        annotations: [String: String] = [:], get: @escaping @LoopActor (Object) throws(GetFailure) -> Value,
        set: @escaping @LoopActor (Object, CallContext, Value) throws(SetFailure) -> Void
    ) {
        let property = PropertyDescription(
            signature: Value.signature, changes: changes, get: Property.getter(get)
        ) { object, context, reader in
            let value = try reader.read(Boxed<Value>.self).value
            try set(unsafeDowncast(object, to: Object.self), context, value)
        }
        member = Member(description: MemberDescription(name, annotations, deprecated: deprecated, .property(property)))
    }

    private static func getter<Value: DBusType, Failure: Error>(
        _ get: @escaping @LoopActor (Object) throws(Failure) -> Value
    ) -> @LoopActor (AnyObject) throws -> any DBusType {
        { object in try get(unsafeDowncast(object, to: Object.self)) }
    }
}
