// Interface: the table of the members of objects of one kind. Dispatch, signatures and introspection all follow from it.

internal import EventLoop

/// An interface of `Object`s:
/// ```
/// static let interface = Interface<Lamp>("org.example.Lamp1") {
///     Method("Switch", in: ["on"]) { (lamp: Lamp, _, on: Bool) in lamp.isOn = on }
///     Property("IsOn") { $0.isOn }
///     burntOut
/// }
/// ```
public struct Interface<Object: AnyObject>: Sendable {
    let table: InterfaceTable

    /// - Parameter announcesValues: false keeps the values of its properties out of `InterfacesAdded` and
    ///   `GetManagedObjects`, which then list the interface without properties, and out of `PropertiesChanged`, which then
    ///   names changes without values. `Get` and `GetAll` return the values all the same.
    public init(
        _ name: String, announcesValues: Bool = true, annotations: [String: String] = [:],
        @InterfaceBuilder<Object> _ members: () -> [Member<Object>]
    ) {
        table = InterfaceTable(name, announcesValues, annotations, members().map(\.description))
    }

    public var name: String { table.name }

    /// Returns the names of the announced properties whose values differ between two objects.
    @LoopActor public func differences(between old: Object, and new: Object) -> [String] {
        var names: [String] = []
        for property in table.orderedProperties where property.changes == .value || property.changes == .invalidates {
            if property.differs(old, new) { names.append(property.name) }
        }
        return names
    }

    /// The `<interface>` element that describes it.
    public var introspectionXML: String { table.introspectionXML }
}

/// The table of an interface without the type of its objects.
final class InterfaceTable: Sendable {
    let name: String
    let announcesValues: Bool
    let annotations: [String: String]
    let members: [MemberDescription]
    let methods: [String: MethodDescription]
    let properties: [String: PropertyDescription]
    /// The properties in their order.
    let orderedProperties: [PropertyDescription]

    init(_ name: String, _ announcesValues: Bool, _ annotations: [String: String], _ members: [MemberDescription]) {
        precondition(InterfaceName.isValid(name), "not an interface name: \(name)")
        self.name = name
        self.announcesValues = announcesValues
        self.annotations = annotations
        self.members = members
        var methods: [String: MethodDescription] = [:]
        var properties: [PropertyDescription] = []
        for member in members {
            switch member.kind {
            case .method(let method): methods[member.name] = method
            case .property(let property): properties.append(property)
            case .signal: break
            }
        }
        self.methods = methods
        self.properties = Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
        orderedProperties = properties
    }
}

/// Collects the members of an interface, in order.
@resultBuilder
public enum InterfaceBuilder<Object: AnyObject> {
    public static func buildExpression(_ method: Method<Object>) -> [Member<Object>] { [method.member] }
    public static func buildExpression(_ method: DeferredMethod<Object>) -> [Member<Object>] { [method.member] }
    public static func buildExpression(_ property: Property<Object>) -> [Member<Object>] { [property.member] }

    /// The properties of a table.
    public static func buildExpression(_ properties: [Property<Object>]) -> [Member<Object>] {
        properties.map(\.member)
    }

    public static func buildExpression<each Argument>(_ signal: Signal<repeat each Argument>) -> [Member<Object>] {
        [Member(description: signal.description)]
    }

    public static func buildBlock(_ members: [Member<Object>]...) -> [Member<Object>] { Array(members.joined()) }
}
