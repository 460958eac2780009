// Arrays and dictionaries that travel.

internal import CDBus

extension Array: DBusType where Element: DBusType {
    public static var signature: String { "a" + Element.signature }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] {
            return try writer.fixedArray(ock_type_byte, "y", bytes)
        }
        if Element.self == Int64.self, let numbers = self as? [Int64] {
            return try writer.fixedArray(ock_type_int64, "x", numbers)
        }
        try writer.container(ock_type_array, Element.signature) { (writer) throws(DBusError) in
            for element in self { try element.append(to: &writer) }
        }
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        if Element.self == UInt8.self,
            let bytes = try reader.fixedArray(ock_type_byte, UInt8.self) as? [Element]
        {
            self = bytes
            return
        }
        if Element.self == Int64.self,
            let numbers = try reader.fixedArray(ock_type_int64, Int64.self) as? [Element]
        {
            self = numbers
            return
        }
        var elements: [Element] = []
        try reader.elements { (reader) throws(DBusError) in elements.append(try Element(from: &reader)) }
        self = elements
    }

    public var inVariant: Variant {
        if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
        return (try? Scratch.convert(Boxed(self), to: Variant.self)) ?? .string("")
    }

    public init?(inside variant: Variant) {
        guard Element.self == UInt8.self, case .bytes(let bytes) = variant, let array = bytes as? [Element] else {
            return nil
        }
        self = array
    }
}

extension Dictionary: DBusType where Key: DBusBasicType, Value: DBusType {
    public static var signature: String { "a{\(Key.signature)\(Value.signature)}" }

    /// Entries travel in the order of their keys if these are text, so that equal dictionaries make equal messages.
    @_specialize(where Key == String, Value == Variant)
    public func append(to writer: inout MessageWriter) throws(DBusError) {
        let entry = "{\(Key.signature)\(Value.signature)}"
        try writer.container(ock_type_array, entry) { (writer) throws(DBusError) in
            for (key, value) in inStableOrder {
                try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                    try key.append(to: &writer)
                    try value.append(to: &writer)
                }
            }
        }
    }

    private var inStableOrder: [(key: Key, value: Value)] {
        let entries: [(key: Key, value: Value)] = Array(self)
        return count > 1 ? entries.sorted { $0.key.travelsBefore($1.key) } : entries
    }

    /// Of entries with the same key, the last one counts.
    @_specialize(where Key == String, Value == Variant)
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
}
