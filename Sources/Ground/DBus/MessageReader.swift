// MessageReader: where the values of a message are read.

internal import CDBus
internal import Glibc

/// Reads values from a message, as many and as large as its limits allow, so that a small message cannot become a large
/// heap.
public struct MessageReader {
    private let iterator: UnsafeMutablePointer<DBusMessageIter>
    private var values: Int
    private var bytes: Int
    private var descriptors: Int
    private var depth = 0

    /// Makes a reader at the first value that `iterator` points to.
    init(_ iterator: UnsafeMutablePointer<DBusMessageIter>, limits: ReadLimits) {
        self.iterator = iterator
        values = limits.values
        bytes = limits.bytes
        descriptors = limits.descriptors
    }

    public mutating func read<Value: DBusType>(_ type: Value.Type = Value.self) throws(DBusError) -> Value {
        try Value(from: &self)
    }

    /// The D-Bus type code of the next value.
    var type: Int32 { dbus_message_iter_get_arg_type(iterator) }

    /// The type code of the elements of the array that comes next.
    var elementType: Int32 { dbus_message_iter_get_element_type(iterator) }

    /// The signature of the next value; inside a container, that of all values up to its end.
    func currentSignature() throws(DBusError) -> String {
        guard let text = dbus_message_iter_get_signature(iterator) else { throw .noMemory }
        defer { dbus_free(text) }
        return String(cString: text)
    }

    private mutating func charge(_ count: Int = 0, values: Int = 1) throws(DBusError) {
        self.values -= values
        bytes -= count
        if self.values < 0 || bytes < 0 {
            throw DBusError(DBusError.Name.limitsExceeded, "the message holds more than is accepted")
        }
    }

    private func expect(_ expected: Int32) throws(DBusError) {
        guard type == expected else {
            throw DBusError(
                DBusError.Name.invalidArgs, "expected type \(name(of: expected)), found \(name(of: type))")
        }
    }

    /// Reads a value of a fixed size.
    mutating func fixed<Value: BitwiseCopyable>(_ type: Int32, _ initial: Value) throws(DBusError) -> Value {
        try expect(type)
        try charge(MemoryLayout<Value>.size)
        var value = initial
        dbus_message_iter_get_basic(iterator, &value)
        dbus_message_iter_next(iterator)
        return value
    }

    /// Takes a duplicate of a descriptor, which is the caller's to close. Several values may stand for the same one.
    mutating func descriptor() throws(DBusError) -> Int32 {
        try expect(ock_type_descriptor)
        descriptors -= 1
        guard descriptors >= 0 else {
            throw DBusError(DBusError.Name.limitsExceeded, "the message holds more descriptors than are accepted")
        }
        let number = try fixed(ock_type_descriptor, Int32(-1))
        guard number >= 0 else {
            throw DBusError(DBusError.Name.limitsExceeded, "the descriptor cannot be taken over")
        }
        return number
    }

    /// Reads a string, object path or signature.
    mutating func text(_ type: Int32) throws(DBusError) -> String {
        try expect(type)
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(iterator, &pointer)
        guard let pointer else { throw .noMemory }
        let text = UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))
        try charge(text.count)
        defer { dbus_message_iter_next(iterator) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the inside of an array, structure, dictionary entry or variant.
    mutating func container<Value>(
        _ type: Int32, advancing: Bool = true, _ body: (inout MessageReader) throws(DBusError) -> Value
    ) throws(DBusError) -> Value {
        try expect(type)
        try charge(0)
        // The specification allows 64 levels, of which variants may take any.
        if depth >= 64 { throw DBusError(DBusError.Name.limitsExceeded, "values nested over 64 deep") }
        var inner = DBusMessageIter()
        let value = try withUnsafeMutablePointer(to: &inner) { (inner) throws(DBusError) in
            dbus_message_iter_recurse(iterator, inner)
            var reader = MessageReader(
                inner, limits: ReadLimits(values: values, bytes: bytes, descriptors: descriptors))
            reader.depth = depth + 1
            let value = try body(&reader)
            (values, bytes, descriptors) = (reader.values, reader.bytes, reader.descriptors)
            return value
        }
        if advancing { dbus_message_iter_next(iterator) }
        return value
    }

    /// Reads the elements of an array one by one.
    mutating func elements(_ body: (inout MessageReader) throws(DBusError) -> Void) throws(DBusError) {
        try container(ock_type_array) { (reader) throws(DBusError) in
            while reader.type != ock_type_invalid { try body(&reader) }
        }
    }

    /// Reads an array of numbers in one go. Each counts as one value; an array of bytes counts as one in all.
    mutating func fixedArray<Number: DBusNumber>() throws(DBusError) -> [Number] {
        try container(ock_type_array) { (reader) throws(DBusError) in
            if reader.type == ock_type_invalid { return [] }
            try reader.expect(Number.code)
            var base: UnsafePointer<Number>?
            var count: Int32 = 0
            dbus_message_iter_get_fixed_array(reader.iterator, &base, &count)
            try reader.charge(Int(count) * MemoryLayout<Number>.size)
            if Number.self != UInt8.self { try reader.charge(values: Int(count) - 1) }
            return Array(UnsafeBufferPointer(start: base, count: Int(count)))
        }
    }

    private func name(of type: Int32) -> String {
        type == ock_type_invalid ? "nothing" : String(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: type))))
    }
}

/// How much a reader may make of one message: values of any kind, bytes of text and arrays, and open descriptors.
struct ReadLimits: Sendable {
    var values: Int
    var bytes: Int
    var descriptors = OwnedDescriptor.maximumPerMessage

    /// For requests, which any process may send.
    static let request = ReadLimits(values: 65_536, bytes: 8 << 20)
    /// For answers, and for signals from the processes that were asked for them.
    static let answer = ReadLimits(values: 8_000_000, bytes: 128 << 20)
}
