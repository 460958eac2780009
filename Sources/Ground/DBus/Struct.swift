// Struct: a tuple that travels.

internal import CDBus

/// A D-Bus structure, such as `Struct<String, Bool>` for `(sb)`. Take it apart with `let (name, isOn) = it.fields`.
public struct Struct<each Field: DBusType>: DBusType {
    public var fields: (repeat each Field)

    public init(_ fields: repeat each Field) {
        self.fields = (repeat each fields)
    }

    public static var signature: String { "(\(signatures(repeat (each Field).self).joined()))" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.container(ock_type_struct) { (writer) throws(DBusError) in
            repeat try (each fields).append(to: &writer)
        }
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.container(ock_type_struct) { (reader) throws(DBusError) in
            Struct(repeat try (each Field)(from: &reader))
        }
    }

    public var inVariant: Variant {
        var values: [Variant] = []
        repeat values.append((each fields).inVariant)
        return .structure(values)
    }

    public init?(inside variant: Variant) {
        guard variant.signature == Self.signature, case .structure(let values) = variant else { return nil }
        var rest = values[...]
        guard let fields = try? Struct(repeat rest.popFirst(as: (each Field).self)) else { return nil }
        self = fields
    }
}

extension ArraySlice<Variant> {
    /// Removes the first value and returns what is inside it.
    fileprivate mutating func popFirst<Value: DBusType>(as type: Value.Type) throws(DBusError) -> Value {
        guard let first = popFirst() else { throw DBusError(DBusError.Name.invalidArgs, "a field is missing") }
        return try first.value()
    }
}

extension Struct: Equatable where repeat each Field: Equatable {
    public static func == (left: Struct, right: Struct) -> Bool {
        for (one, other) in repeat (each left.fields, each right.fields) {
            if one != other { return false }
        }
        return true
    }
}

extension Struct: Hashable where repeat each Field: Hashable {
    public func hash(into hasher: inout Hasher) { repeat (each fields).hash(into: &hasher) }
}

/// Returns the signatures of some types, in order.
func signatures<each Value: DBusType>(_ types: repeat (each Value).Type) -> [String] {
    var list: [String] = []
    repeat list.append((each Value).signature)
    return list
}
