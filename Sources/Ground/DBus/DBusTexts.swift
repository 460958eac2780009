// The types that travel as text: strings, object paths and signatures.

internal import CDBus

extension String: DBusBasicType {
    public static var signature: String { "s" }

    public func append(to writer: inout MessageWriter) throws(DBusError) {
        try writer.text(ock_type_string, self)
    }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self = try reader.text(ock_type_string)
    }

    public var inVariant: Variant { .string(self) }
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
}
