// MessageWriter: where values are appended to a message.

internal import CDBus

/// Appends values to a message. What cannot travel (text with a NUL, too much, too deep) is an error and never reaches
/// libdbus.
public struct MessageWriter {
    static let maximumBytes = 32 << 20
    static let maximumDepth = 24

    /// Nil if the values go into `wire`.
    private let iterator: UnsafeMutablePointer<DBusMessageIter>?
    private var wire = WireBytes()
    /// The types of what was appended to `wire`, while they are not known from outside.
    private var types = WireBytes()
    private var notesTypes = true
    private var bytes = 0
    private var depth = 0
    private let former: (bytes: Int, types: Int)

    init(_ iterator: UnsafeMutablePointer<DBusMessageIter>) {
        self.iterator = iterator
        former = (0, 0)
    }

    /// Takes the body out of the message, until `finish` or `abandon`.
    init(continuing message: inout WireMessage) {
        iterator = nil
        former = (message.body.count, message.types.count)
        swap(&wire, &message.body)
        swap(&types, &message.types)
    }

    mutating func finish(to message: inout WireMessage) {
        swap(&wire, &message.body)
        swap(&types, &message.types)
    }

    /// Leaves the message as it was.
    mutating func abandon(to message: inout WireMessage) {
        wire.cut(to: former.bytes)
        types.cut(to: former.types)
        finish(to: &message)
    }

    private mutating func note(_ type: Int32) {
        if notesTypes { types.append(UInt8(truncatingIfNeeded: type)) }
    }

    public mutating func append(_ value: some DBusType) throws(DBusError) {
        try value.append(to: &self)
    }

    mutating func charge(_ count: Int) throws(DBusError) {
        bytes += count
        if bytes > MessageWriter.maximumBytes {
            throw DBusError(DBusError.Name.limitsExceeded, "a message of over \(MessageWriter.maximumBytes) bytes")
        }
    }

    /// Appends a value of a fixed size.
    mutating func fixed<Value: BitwiseCopyable>(_ type: Int32, _ value: Value) throws(DBusError) {
        try charge(MemoryLayout<Value>.size)
        guard let iterator else {
            note(type)
            wire.append(fixed: value)
            return
        }
        var value = value
        if dbus_message_iter_append_basic(iterator, type, &value) == 0 { throw .noMemory }
    }

    /// Appends a string, object path or signature.
    mutating func text(_ type: Int32, _ text: String) throws(DBusError) {
        try charge(text.utf8.count + 5)
        guard let iterator else { return try wireText(type, text) }
        if text.hasNUL { throw Self.hasNUL }
        let isAppended = text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            return dbus_message_iter_append_basic(iterator, type, &pointer) != 0
        }
        if !isAppended { throw .noMemory }
    }

    private static let hasNUL = DBusError(
        DBusError.Name.invalidArgs, "a text with a NUL character cannot travel")

    private mutating func wireText(_ type: Int32, _ text: String) throws(DBusError) {
        note(type)
        var text = text
        let isAppended = text.withUTF8 { bytes in
            if let base = bytes.baseAddress, memchr(base, 0, bytes.count) != nil { return false }
            if type == ock_type_signature { wire.append(signature: bytes) } else { wire.append(text: bytes) }
            return true
        }
        if !isAppended { throw Self.hasNUL }
    }

    mutating func container(
        _ type: Int32, _ signature: String? = nil, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        if depth >= MessageWriter.maximumDepth {
            throw DBusError(DBusError.Name.limitsExceeded, "values nested over \(MessageWriter.maximumDepth) deep")
        }
        try charge(8)
        guard let iterator else { return try wireContainer(type, signature ?? "", body) }
        var inner = DBusMessageIter()
        try withUnsafeMutablePointer(to: &inner) { (inner) throws(DBusError) in
            let isOpen =
                signature?.withCString { dbus_message_iter_open_container(iterator, type, $0, inner) }
                ?? dbus_message_iter_open_container(iterator, type, nil, inner)
            if isOpen == 0 { throw .noMemory }
            var writer = MessageWriter(inner)
            writer.bytes = bytes
            writer.depth = depth + 1
            do throws(DBusError) {
                try body(&writer)
            } catch {
                dbus_message_iter_abandon_container(iterator, inner)
                throw error
            }
            bytes = writer.bytes
            if dbus_message_iter_close_container(iterator, inner) == 0 { throw .noMemory }
        }
    }

    private mutating func wireContainer(
        _ type: Int32, _ signature: String, _ body: (inout MessageWriter) throws(DBusError) -> Void
    ) throws(DBusError) {
        if signature.utf8.count > 255 { throw DBusError(DBusError.Name.invalidArgs, "a signature of over 255 bytes") }
        let notedTypes = notesTypes
        var signature = signature
        depth += 1
        switch type {
        case ock_type_array:
            note(type)
            if notesTypes { signature.withUTF8 { types.append(raw: UnsafeRawBufferPointer($0)) } }
            notesTypes = false
            wire.append(fixed: UInt32(0))
            let length = wire.count - 4
            wire.align(to: WireBytes.alignment(of: signature.utf8.first ?? 0))
            let start = wire.count
            try body(&self)
            wire.set(UInt32(truncatingIfNeeded: wire.count - start), at: length)
        case ock_type_variant:
            note(type)
            notesTypes = false
            signature.withUTF8 { wire.append(signature: $0) }
            try body(&self)
        default:
            note(Int32(UInt8(ascii: "(")))
            wire.align(to: 8)
            try body(&self)
            note(Int32(UInt8(ascii: ")")))
        }
        depth -= 1
        notesTypes = notedTypes
    }

    /// Appends one `{sv}` entry.
    mutating func entry(_ key: String, _ value: Variant) throws(DBusError) {
        if iterator == nil, !notesTypes, let type = value.plainType {
            // What most entries are, without a detour through containers.
            try charge(16)
            wire.align(to: 8)
            try wireText(ock_type_string, key)
            wire.append(1)
            wire.append(type)
            wire.append(0)
            try value.appendInside(to: &self)
        } else {
            try container(ock_type_dict_entry) { (writer) throws(DBusError) in
                try writer.text(ock_type_string, key)
                try value.append(to: &writer)
            }
        }
    }

    mutating func variant<Value: DBusType>(_ value: Value) throws(DBusError) {
        try container(ock_type_variant, Value.signature) { (writer) throws(DBusError) in
            try value.append(to: &writer)
        }
    }

    /// Appends an array of bytes.
    mutating func byteArray(_ values: [UInt8]) throws(DBusError) {
        try charge(values.count)
        try container(ock_type_array, "y") { (writer) throws(DBusError) in
            guard let iterator = writer.iterator else {
                return values.withUnsafeBytes { writer.wire.append(raw: $0) }
            }
            let isAppended = values.withUnsafeBufferPointer { buffer in
                var base = buffer.baseAddress
                return buffer.isEmpty
                    || dbus_message_iter_append_fixed_array(
                        iterator, ock_type_byte, &base, Int32(buffer.count)) != 0
            }
            if !isAppended { throw .noMemory }
        }
    }
}
