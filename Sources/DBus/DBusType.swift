// DBusType: Swift types that travel, the basic ones first.

internal import CDBus

/// A type with a D-Bus signature of exactly one complete type.
public protocol DBusType: Sendable {
    static var signature: String { get }
    func append(to writer: inout MessageWriter) throws(DBusError)
    init(from reader: inout MessageReader) throws(DBusError)
}

/// A type that may be the key of a dictionary.
public protocol DBusBasicType: DBusType, Hashable {}

extension Bool: DBusBasicType {
    public static var signature: String { "b" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_boolean, dbus_bool_t(self ? 1 : 0))
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_boolean, dbus_bool_t(0)) != 0
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
}

extension Int16: DBusBasicType {
    public static var signature: String { "n" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int16, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int16, 0)
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
}

extension Int32: DBusBasicType {
    public static var signature: String { "i" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int32, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int32, 0)
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
}

extension Int64: DBusBasicType {
    public static var signature: String { "x" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_int64, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_int64, 0)
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
}

extension Double: DBusBasicType {
    public static var signature: String { "d" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.fixed(ock_type_double, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.fixed(ock_type_double, 0)
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
}

extension ObjectPath: DBusBasicType {
    public static var signature: String { "o" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.text(ock_type_object_path, text)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(unchecked: try reader.text(ock_type_object_path))
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
}
