// How variants travel.

internal import CDBus

extension Variant: DBusType {
    /// The signature of the type `Variant`. The instance property of the same name is that of the value inside.
    public static var signature: String { "v" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.container(ock_type_variant, signature) { (writer) throws(DBusError) in
            try appendInside(to: &writer)
        }
    }

    private func appendInside(to writer: inout MessageWriter) throws(DBusError) {
        switch self {
        case .array(let element, let values):
            try Variant.check(values, element)
            try writer.array(of: element.text) { (writer) throws(DBusError) in
                for value in values { try value.appendInside(to: &writer) }
            }
        case .dictionary(let key, let value, let entries):
            try Variant.check(entries.map(\.key), key)
            try Variant.check(entries.map(\.value), value)
            guard key.text.utf8.count == 1, key.text != "v" else {
                throw DBusError(DBusError.Name.invalidArgs, "type \(key) cannot be the key of a dictionary")
            }
            try writer.array(of: "{\(key)\(value)}") { (writer) throws(DBusError) in
                for entry in entries {
                    try writer.container(ock_type_dict_entry) { (writer) throws(DBusError) in
                        try entry.key.appendInside(to: &writer)
                        try entry.value.appendInside(to: &writer)
                    }
                }
            }
        case .structure(let fields):
            if fields.isEmpty { throw DBusError(DBusError.Name.invalidArgs, "a structure without fields") }
            try writer.container(ock_type_struct) { (writer) throws(DBusError) in
                for field in fields { try field.appendInside(to: &writer) }
            }
        default: try simpleValue?.append(to: &writer)
        }
    }

    private static func check(_ values: [Variant], _ element: Signature) throws(DBusError) {
        guard element.isSingle else {
            throw DBusError(DBusError.Name.invalidArgs, "\"\(element)\" is not the type of one value")
        }
        for value in values where value.signature != element.text {
            throw DBusError(DBusError.Name.invalidArgs, "a value of type \(value.signature) among \(element)")
        }
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.container(ock_type_variant) { (reader) throws(DBusError) in
            try Variant(at: &reader)
        }
    }

    public var inVariant: Variant { .variant(self) }

    public init?(inside variant: Variant) {
        guard case .variant(let value) = variant else { return nil }
        self = value
    }

    init(at reader: inout MessageReader) throws(DBusError) {
        switch reader.type {
        case ock_type_boolean: self = .bool(try reader.read())
        case ock_type_byte: self = .byte(try reader.read())
        case ock_type_int16: self = .int16(try reader.read())
        case ock_type_uint16: self = .uint16(try reader.read())
        case ock_type_int32: self = .int32(try reader.read())
        case ock_type_uint32: self = .uint32(try reader.read())
        case ock_type_int64: self = .int64(try reader.read())
        case ock_type_uint64: self = .uint64(try reader.read())
        case ock_type_double: self = .double(try reader.read())
        case ock_type_string: self = .string(try reader.read())
        case ock_type_object_path: self = .objectPath(try reader.read())
        case ock_type_signature: self = .signature(try reader.read())
        case ock_type_descriptor: self = .descriptor(try reader.read())
        case ock_type_variant: self = .variant(try reader.read())
        case ock_type_array: try self.init(array: &reader)
        case ock_type_struct:
            self = try reader.container(ock_type_struct) { (reader) throws(DBusError) in
                var fields: [Variant] = []
                while reader.type != ock_type_invalid { fields.append(try Variant(at: &reader)) }
                return .structure(fields)
            }
        default:
            throw DBusError(DBusError.Name.invalidArgs, "a value of a type that is not accepted")
        }
    }

    private init(array reader: inout MessageReader) throws(DBusError) {
        switch reader.elementType {
        case ock_type_byte:
            self = .bytes(try reader.fixedArray())
        case ock_type_dict_entry:
            let types = try reader.currentSignature().dropFirst(2).dropLast()
            var entries: [VariantEntry] = []
            try reader.elements { (reader) throws(DBusError) in
                let entry = try reader.container(ock_type_dict_entry) { (reader) throws(DBusError) in
                    let key = try Variant(at: &reader)
                    return VariantEntry(key, try Variant(at: &reader))
                }
                entries.append(entry)
            }
            let (key, value) = (String(types.prefix(1)), String(types.dropFirst()))
            self = .dictionary(key: Signature(unchecked: key), value: Signature(unchecked: value), entries)
        default:
            let element = String(try reader.currentSignature().dropFirst())
            var values: [Variant] = []
            try reader.elements { (reader) throws(DBusError) in values.append(try Variant(at: &reader)) }
            self = .array(Signature(unchecked: element), values)
        }
    }
}

/// A value inside a variant, of a type known beforehand.
struct Boxed<Value: DBusType>: DBusType {
    static var signature: String { "v" }
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    func append(to writer: inout MessageWriter) throws(DBusError) { try writer.variant(value) }

    init(from reader: inout MessageReader) throws(DBusError) {
        value = try reader.container(ock_type_variant) { (reader) throws(DBusError) in
            let found = try reader.currentSignature()
            guard found == Value.signature else {
                throw DBusError(DBusError.Name.invalidArgs, "expected type \(Value.signature), found \(found)")
            }
            return try Value(from: &reader)
        }
    }

    var inVariant: Variant { .variant(value.inVariant) }

    init?(inside variant: Variant) {
        guard case .variant(let inner) = variant, let value = Value(inside: inner) else { return nil }
        self.value = value
    }
}
