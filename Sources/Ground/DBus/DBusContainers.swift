// Arrays and dictionaries that travel.

internal import CDBus

extension Array: DBusType where Element: DBusType {
    public static var signature: String { "a" + Element.signature }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try Element.append(self, to: &writer)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try Element.elements(from: &reader)
    }

    public var inVariant: Variant {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
        return .array(Signature(unchecked: Element.signature), map { $0.inVariant })
    }

    public init?(inside variant: Variant) {
        guard variant.signature == Self.signature else { return nil }
        switch variant {
        case .bytes(let bytes):
            guard let bytes = bytes as? Self else { return nil }
            self = bytes
        case .array(_, let values):
            let elements = values.compactMap(Element.init(inside:))
            guard elements.count == values.count else { return nil }
            self = elements
        default: return nil
        }
    }
}

extension Dictionary: DBusType where Key: DBusBasicType, Value: DBusType {
    public static var signature: String { "a{\(Key.signature)\(Value.signature)}" }

    /// Appends the entries in the order of their keys, so that equal dictionaries make equal messages.
    @specialized(where Key == String, Value == Variant)
    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.array(of: "{\(Key.signature)\(Value.signature)}") { (writer) throws(DBusError) in
            for (key, value) in inStableOrder {
                try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                    try key.append(to: &writer)
                    try value.append(to: &writer)
                }
            }
        }
    }

    private var inStableOrder: [(key: Key, value: Value)] { sorted { $0.key.travelsBefore($1.key) } }

    /// Reads the entries. Of entries with the same key, the last one counts.
    @specialized(where Key == String, Value == Variant)
    public init(from reader: inout MessageReader) throws(DBusError) {
        var result: [Key: Value] = [:]
        try reader.elements { (reader) throws(DBusError) in
            try reader.container(ock_type_dict_entry) { (reader) throws(DBusError) in
                let key = try Key(from: &reader)
                result[key] = try Value(from: &reader)
            }
        }
        self = result
    }

    public var inVariant: Variant {
        .dictionary(
            key: Signature(unchecked: Key.signature), value: Signature(unchecked: Value.signature),
            inStableOrder.map { VariantEntry($0.key.inVariant, $0.value.inVariant) })
    }

    public init?(inside variant: Variant) {
        guard variant.signature == Self.signature, case .dictionary(_, _, let entries) = variant else { return nil }
        var result: [Key: Value] = [:]
        for entry in entries {
            guard let key = Key(inside: entry.key), let value = Value(inside: entry.value) else { return nil }
            result[key] = value
        }
        self = result
    }
}
