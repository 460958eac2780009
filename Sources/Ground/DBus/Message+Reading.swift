// Reading the arguments of messages, and messages as bytes.

internal import CDBus

extension Message {
    /// All arguments, which must be of exactly these types: `let (name, isOn) = try message.read(String.self, Bool.self)`.
    ///
    /// Throws `InvalidArgs` for other types and `LimitsExceeded` for more than is accepted.
    public func read<each Value: DBusType>(
        _ types: repeat (each Value).Type
    ) throws(DBusError) -> (repeat each Value) {
        let all: Struct<repeat each Value> = try readAll()
        return (repeat each all.fields)
    }

    /// All arguments, as the fields of a structure.
    func readAll<each Value: DBusType>() throws(DBusError) -> Struct<repeat each Value> {
        let expected = signatures(repeat (each Value).self).joined()
        guard has(signature: expected) else {
            throw DBusError(DBusError.Name.invalidArgs, "expected (\(expected)), found (\(signature))")
        }
        return try readChecked()
    }

    /// All arguments of a message whose signature has been compared.
    nonisolated func readChecked<each Value: DBusType>() throws(DBusError) -> Struct<repeat each Value> {
        try read { (reader) throws(DBusError) in Struct(repeat try (each Value)(from: &reader)) }
    }

    nonisolated func read<Value>(_ body: (inout MessageReader) throws(DBusError) -> Value) throws(DBusError) -> Value {
        var iterator = DBusMessageIter()
        return try withUnsafeMutablePointer(to: &iterator) { (iterator) throws(DBusError) in
            dbus_message_iter_init(raw, iterator)
            var reader = MessageReader(iterator, limits: limits)
            return try body(&reader)
        }
    }

    /// Returns the message as bytes for another process. A message without a serial gets this one.
    public func marshalled(serial: UInt32 = 1) throws(DBusError) -> [UInt8] {
        if self.serial == 0 { dbus_message_set_serial(raw, serial) }
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(raw, &bytes, &count) != 0, let bytes else { throw .noMemory }
        defer { dbus_free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }

    /// Returns the message that some untrusted bytes are. Throws `InconsistentMessage` unless they are exactly one message.
    public static func demarshal(_ bytes: [UInt8]) throws(DBusError) -> Message {
        try bytes.span.withUnsafeBytes { (bytes) throws(DBusError) in try demarshal(bytes) }
    }

    /// Returns the size of the message that begins with some untrusted bytes; nil if no message begins so.
    static func size(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard LibDBus.isReady, let text = bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count >= 16
        else { return nil }
        let size = Int(dbus_message_demarshal_bytes_needed(text, Int32(clamping: bytes.count)))
        return size > 0 ? size : nil
    }

    static func demarshal(_ bytes: UnsafeRawBufferPointer) throws(DBusError) -> Message {
        let text = bytes.assumingMemoryBound(to: CChar.self).baseAddress
        guard let text, size(of: bytes) == bytes.count else {
            throw DBusError(DBusError.Name.inconsistentMessage, "\(bytes.count) bytes are not one message")
        }
        let raw = try DBusError.catching { dbus_message_demarshal(text, Int32(bytes.count), $0) }
        return Message(received: raw)
    }
}
