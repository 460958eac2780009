// DBusType: Swift types that travel, the basic ones first.

internal import CDBus

/// A type with a D-Bus signature of exactly one complete type.
public protocol DBusType: Sendable {
    static var signature: String { get }
    func append(to writer: inout MessageWriter) throws(DBusError)
    init(from reader: inout MessageReader) throws(DBusError)
    /// A variant around this value.
    var inVariant: Variant { get }
    /// The value inside a variant, if `Variant` has a case of its own for this type and it is that. Nil for others.
    init?(inside variant: Variant)
}

extension DBusType {
    public var inVariant: Variant { (try? Scratch.convert(Boxed(self), to: Variant.self)) ?? .string("") }

    public init?(inside variant: Variant) { nil }
}

/// A type that may be the key of a dictionary.
public protocol DBusBasicType: DBusType, Hashable {
    /// Whether the entry of this key travels before that of the other; false for both in no order.
    func travelsBefore(_ other: Self) -> Bool
}

extension DBusBasicType {
    public func travelsBefore(_ other: Self) -> Bool { false }
}

extension Bool: DBusBasicType {
    public static var signature: String { "b" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_boolean, dbus_bool_t(self ? 1 : 0))
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_boolean, dbus_bool_t(0)) != 0
    }

    public var inVariant: Variant { .bool(self) }

    public init?(inside variant: Variant) {
        guard case .bool(let value) = variant else { return nil }
        self = value
    }
}

extension UInt8: DBusBasicType {
    public static var signature: String { "y" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_byte, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_byte, 0)
    }

    public var inVariant: Variant { .byte(self) }

    public init?(inside variant: Variant) {
        guard case .byte(let value) = variant else { return nil }
        self = value
    }
}

extension Int16: DBusBasicType {
    public static var signature: String { "n" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int16, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int16, 0)
    }

    public var inVariant: Variant { .int16(self) }

    public init?(inside variant: Variant) {
        guard case .int16(let value) = variant else { return nil }
        self = value
    }
}

extension UInt16: DBusBasicType {
    public static var signature: String { "q" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_uint16, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_uint16, 0)
    }

    public var inVariant: Variant { .uint16(self) }

    public init?(inside variant: Variant) {
        guard case .uint16(let value) = variant else { return nil }
        self = value
    }
}

extension Int32: DBusBasicType {
    public static var signature: String { "i" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int32, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int32, 0)
    }

    public var inVariant: Variant { .int32(self) }

    public init?(inside variant: Variant) {
        guard case .int32(let value) = variant else { return nil }
        self = value
    }
}

extension UInt32: DBusBasicType {
    public static var signature: String { "u" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_uint32, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_uint32, 0)
    }

    public var inVariant: Variant { .uint32(self) }

    public init?(inside variant: Variant) {
        guard case .uint32(let value) = variant else { return nil }
        self = value
    }
}

extension Int64: DBusBasicType {
    public static var signature: String { "x" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int64, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int64, 0)
    }

    public var inVariant: Variant { .int64(self) }

    public init?(inside variant: Variant) {
        guard case .int64(let value) = variant else { return nil }
        self = value
    }
}

extension UInt64: DBusBasicType {
    public static var signature: String { "t" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_uint64, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_uint64, 0)
    }

    public var inVariant: Variant { .uint64(self) }

    public init?(inside variant: Variant) {
        guard case .uint64(let value) = variant else { return nil }
        self = value
    }
}

extension Double: DBusBasicType {
    public static var signature: String { "d" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_double, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_double, 0)
    }

    public var inVariant: Variant { .double(self) }

    public init?(inside variant: Variant) {
        guard case .double(let value) = variant else { return nil }
        self = value
    }
}

extension String: DBusBasicType {
    public static var signature: String { "s" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.text(ock_type_string, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.text(ock_type_string)
    }

    public var inVariant: Variant { .string(self) }

    public init?(inside variant: Variant) {
        guard case .string(let value) = variant else { return nil }
        self = value
    }

    public func travelsBefore(_ other: String) -> Bool { self < other }
}

extension ObjectPath: DBusBasicType {
    public static var signature: String { "o" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.text(ock_type_object_path, text)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(unchecked: try reader.text(ock_type_object_path))
    }

    public var inVariant: Variant { .objectPath(self) }

    public init?(inside variant: Variant) {
        guard case .objectPath(let value) = variant else { return nil }
        self = value
    }
}

extension Signature: DBusBasicType {
    public static var signature: String { "g" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.text(ock_type_signature, text)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(unchecked: try reader.text(ock_type_signature))
    }

    public var inVariant: Variant { .signature(self) }

    public init?(inside variant: Variant) {
        guard case .signature(let value) = variant else { return nil }
        self = value
    }
}
