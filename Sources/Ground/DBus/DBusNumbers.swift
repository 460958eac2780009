// The types of a fixed size that travel: numbers and truth values.

internal import CDBus

/// A number whose bytes in memory are those of the message.
public protocol DBusNumber: DBusBasicType, Comparable, BitwiseCopyable {
    /// The D-Bus type code.
    static var code: Int32 { get }
    static var variant: @Sendable (Self) -> Variant { get }
    init()
}

extension DBusNumber {
    public static var signature: String { String(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: code)))) }

    public func append(to writer: inout MessageWriter) throws(DBusError) { try writer.fixed(Self.code, self) }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(Self.code, Self())
    }

    public static func append(_ elements: [Self], to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixedArray(elements)
    }

    public static func elements(from reader: inout MessageReader) throws(DBusError) -> [Self] {
        try reader.fixedArray()
    }

    public var inVariant: Variant { Self.variant(self) }
}

extension UInt8: DBusNumber {
    public static var code: Int32 { ock_type_byte }
    public static var variant: @Sendable (UInt8) -> Variant { { .byte($0) } }
}

extension Int16: DBusNumber {
    public static var code: Int32 { ock_type_int16 }
    public static var variant: @Sendable (Int16) -> Variant { { .int16($0) } }
}

extension UInt16: DBusNumber {
    public static var code: Int32 { ock_type_uint16 }
    public static var variant: @Sendable (UInt16) -> Variant { { .uint16($0) } }
}

extension Int32: DBusNumber {
    public static var code: Int32 { ock_type_int32 }
    public static var variant: @Sendable (Int32) -> Variant { { .int32($0) } }
}

extension UInt32: DBusNumber {
    public static var code: Int32 { ock_type_uint32 }
    public static var variant: @Sendable (UInt32) -> Variant { { .uint32($0) } }
}

extension Int64: DBusNumber {
    public static var code: Int32 { ock_type_int64 }
    public static var variant: @Sendable (Int64) -> Variant { { .int64($0) } }
}

extension UInt64: DBusNumber {
    public static var code: Int32 { ock_type_uint64 }
    public static var variant: @Sendable (UInt64) -> Variant { { .uint64($0) } }
}

extension Double: DBusNumber {
    public static var code: Int32 { ock_type_double }
    public static var variant: @Sendable (Double) -> Variant { { .double($0) } }
}

extension Bool: DBusBasicType {
    public static var signature: String { "b" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_boolean, dbus_bool_t(self ? 1 : 0))
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_boolean, dbus_bool_t(0)) != 0
    }

    public func travelsBefore(_ other: Bool) -> Bool { !self && other }

    public var inVariant: Variant { .bool(self) }
}
