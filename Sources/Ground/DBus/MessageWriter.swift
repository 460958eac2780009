// MessageWriter: where values are appended to a message.

internal import CDBus

/// Appends values to a message. A value that cannot travel (text with a NUL, too large, too deep) throws an error and never
/// reaches libdbus.
public struct MessageWriter {
    static let maximumBytes = 32 << 20
    static let maximumDepth = 24

    private let iterator: UnsafeMutablePointer<DBusMessageIter>
    private var bytes = 0
    private var depth = 0
    private var descriptors = 0

    init(_ iterator: UnsafeMutablePointer<DBusMessageIter>) {
        self.iterator = iterator
    }

    public mutating func append(_ value: some DBusType) throws(DBusError) { try value.append(to: &self) }

    mutating func charge(_ count: Int) throws(DBusError) {
        bytes += count
        if bytes > MessageWriter.maximumBytes {
            throw DBusError(DBusError.Name.limitsExceeded, "a message of over \(MessageWriter.maximumBytes) bytes")
        }
    }

    /// Appends a value of a fixed size.
    mutating func fixed<Value: BitwiseCopyable>(_ type: Int32, _ value: Value) throws(DBusError) {
        try charge(MemoryLayout<Value>.size)
        var value = value
        if dbus_message_iter_append_basic(iterator, type, &value) == 0 { throw .noMemory }
    }

    /// Appends a duplicate of a descriptor.
    mutating func descriptor(_ number: Int32) throws(DBusError) {
        descriptors += 1
        guard descriptors <= OwnedDescriptor.maximumPerMessage else {
            throw DBusError(
                DBusError.Name.limitsExceeded,
                "a message of over \(OwnedDescriptor.maximumPerMessage) descriptors")
        }
        var number = number
        guard dbus_message_iter_append_basic(iterator, ock_type_descriptor, &number) != 0 else {
            throw DBusError(DBusError.Name.limitsExceeded, "descriptor \(number) cannot be duplicated")
        }
    }

    /// Appends a string, object path or signature.
    mutating func text(_ type: Int32, _ text: String) throws(DBusError) {
        if text.hasNUL { throw DBusError(DBusError.Name.invalidArgs, "a text with a NUL character cannot travel") }
        try charge(text.utf8.count + 5)
        let isAppended = text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            return dbus_message_iter_append_basic(iterator, type, &pointer) != 0
        }
        if !isAppended { throw .noMemory }
    }

    mutating func container(
        _ type: Int32, _ signature: String? = nil, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        if depth >= MessageWriter.maximumDepth {
            throw DBusError(DBusError.Name.limitsExceeded, "values nested over \(MessageWriter.maximumDepth) deep")
        }
        try charge(8)
        var inner = DBusMessageIter()
        try withUnsafeMutablePointer(to: &inner) { (inner) throws(DBusError) in
            let isOpen =
                signature?.withCString { dbus_message_iter_open_container(iterator, type, $0, inner) }
                ?? dbus_message_iter_open_container(iterator, type, nil, inner)
            if isOpen == 0 { throw .noMemory }
            var writer = MessageWriter(inner)
            writer.bytes = bytes
            writer.depth = depth + 1
            writer.descriptors = descriptors
            do throws(DBusError) {
                try body(&writer)
            } catch {
                dbus_message_iter_abandon_container(iterator, inner)
                throw error
            }
            (bytes, descriptors) = (writer.bytes, writer.descriptors)
            if dbus_message_iter_close_container(iterator, inner) == 0 { throw .noMemory }
        }
    }

    /// Appends an array of elements with this signature, which `body` appends.
    mutating func array(
        of signature: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        try container(ock_type_array, signature, body)
    }

    /// Appends a value as a variant.
    public mutating func variant<Value: DBusType>(_ value: Value) throws(DBusError) {
        try container(ock_type_variant, Value.signature) { (writer) throws(DBusError) in
            try value.append(to: &writer)
        }
    }

    /// Appends an array of numbers in one go.
    mutating func fixedArray<Number: DBusNumber>(_ values: [Number]) throws(DBusError) {
        try charge(values.count * MemoryLayout<Number>.size)
        try array(of: Number.signature) { (writer) throws(DBusError) in
            let isAppended = values.withUnsafeBufferPointer { buffer in
                var base = buffer.baseAddress
                return buffer.isEmpty
                    || dbus_message_iter_append_fixed_array(writer.iterator, Number.code, &base, Int32(buffer.count))
                        != 0
            }
            if !isAppended { throw .noMemory }
        }
    }
}
