// Message: one message of libdbus.

internal import CDBus
public import EventLoop
internal import Glibc

/// A method call, its answer, or a signal. Received ones must not be changed.
@LoopActor
public final class Message {
    public enum Kind: Sendable {
        case call, reply, error, signal
    }

    nonisolated(unsafe) let raw: OpaquePointer
    /// How much may be read from it.
    let limits: ReadLimits

    /// Takes over one reference to the message.
    init(owning raw: OpaquePointer, limits: ReadLimits = .answer) {
        self.raw = raw
        self.limits = limits
    }

    /// Takes over one reference to a message from outside.
    convenience init(received raw: OpaquePointer) {
        let isCall = dbus_message_get_type(raw) == DBUS_MESSAGE_TYPE_METHOD_CALL
        self.init(owning: raw, limits: isCall ? .request : .answer)
    }

    deinit {
        dbus_message_unref(raw)
    }

    public var kind: Kind {
        switch dbus_message_get_type(raw) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
        case DBUS_MESSAGE_TYPE_ERROR: .error
        default: .signal
        }
    }

    public var path: ObjectPath? { pathText.map { ObjectPath(unchecked: $0) } }
    var pathText: String? { String(message: dbus_message_get_path(raw)) }
    public var interface: String? { String(message: dbus_message_get_interface(raw)) }
    public var member: String? { String(message: dbus_message_get_member(raw)) }
    /// The unique name of the sender, as the bus vouches for it; nil on a private link.
    public var sender: String? { String(message: dbus_message_get_sender(raw)) }
    public var destination: String? { String(message: dbus_message_get_destination(raw)) }
    /// Sends this message, which has not been sent, to one client alone. Returns false if memory runs out.
    @discardableResult
    public func direct(to client: String) -> Bool { dbus_message_set_destination(raw, client) != 0 }
    public var errorName: String? { String(message: dbus_message_get_error_name(raw)) }
    public var signature: String { String(message: dbus_message_get_signature(raw)) ?? "" }
    public var serial: UInt32 { dbus_message_get_serial(raw) }
    /// The serial of the call that this answers; 0 if it is not an answer.
    public var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }

    /// The error that an error answer carries; nil for other messages. Its text is the first argument, if that is a string.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let text = signature.hasPrefix("s") ? try? read { reader throws(DBusError) in try String(from: &reader) } : nil
        return DBusError(errorName ?? DBusError.Name.failed, text ?? "")
    }

    /// Whether the sender of this call wants an answer.
    public var expectsReply: Bool {
        get { dbus_message_get_no_reply(raw) == 0 }
        set { dbus_message_set_no_reply(raw, newValue ? 0 : 1) }
    }

    /// Whether the bus may start the destination's service.
    public var autoStart: Bool {
        get { dbus_message_get_auto_start(raw) != 0 }
        set { dbus_message_set_auto_start(raw, newValue ? 1 : 0) }
    }

    /// Whether this answer comes from whom a call was sent to. The bus itself answers with an error for a name that it
    /// cannot reach.
    public func isAnswer(of destination: String) -> Bool {
        let sender = sender
        return sender == destination || kind == .error && sender == BusDriver.name
    }

    public nonisolated func has(signature: String) -> Bool {
        signature.withCString { dbus_message_has_signature(raw, $0) != 0 }
    }

    /// Returns a copy that has not been sent.
    func copy() throws(DBusError) -> Message {
        guard let raw = dbus_message_copy(raw) else { throw .noMemory }
        return Message(owning: raw, limits: limits)
    }
}

extension String {
    /// Copies text that libdbus has checked.
    fileprivate init?(message text: UnsafePointer<CChar>?) {
        guard let text else { return nil }
        self.init(cString: text)
    }
}

// MARK: making messages; libdbus would end the process over invalid names and paths

extension Message {
    /// Returns a method call.
    ///
    /// Throws `InvalidArgs` if a name is invalid or an argument cannot travel.
    public static func call<each Argument: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument
    ) throws(DBusError) -> Message {
        try checkNames(destination, interface, member)
        guard LibDBus.isReady, let raw = dbus_message_new_method_call(destination, path.text, interface, member) else {
            throw .noMemory
        }
        let message = Message(owning: raw)
        try message.append(repeat each arguments)
        return message
    }

    /// Returns a signal, for all listeners or for one destination.
    public static func signal<each Argument: DBusType>(
        from path: ObjectPath, _ interface: String, _ member: String, _ arguments: repeat each Argument,
        to destination: String? = nil
    ) throws(DBusError) -> Message {
        try checkNames(destination, interface, member)
        guard LibDBus.isReady, let raw = dbus_message_new_signal(path.text, interface, member) else { throw .noMemory }
        let message = Message(owning: raw)
        if let destination, dbus_message_set_destination(raw, destination) == 0 { throw .noMemory }
        try message.append(repeat each arguments)
        return message
    }

    private static func checkNames(_ destination: String?, _ interface: String, _ member: String) throws(DBusError) {
        if let destination { try check(destination, "a bus name", BusName.isValid) }
        try check(interface, "an interface name", InterfaceName.isValid)
        try check(member, "a member name", MemberName.isValid)
    }

    /// Returns the answer to this call.
    public func reply<each Value: DBusType>(_ values: repeat each Value) throws(DBusError) -> Message {
        let message = try emptyReply()
        try message.append(repeat each values)
        return message
    }

    func emptyReply() throws(DBusError) -> Message {
        guard let raw = dbus_message_new_method_return(raw) else { throw .noMemory }
        return Message(owning: raw)
    }

    /// Returns this call without its arguments and descriptors: what is needed to answer it.
    func envelope() throws(DBusError) -> Message {
        let raw = dbus_message_new_method_call(
            dbus_message_get_destination(raw), dbus_message_get_path(raw), dbus_message_get_interface(raw),
            dbus_message_get_member(raw))
        guard let raw, dbus_message_set_sender(raw, dbus_message_get_sender(self.raw)) != 0 else { throw .noMemory }
        if serial != 0 { dbus_message_set_serial(raw, serial) }
        dbus_message_set_no_reply(raw, dbus_message_get_no_reply(self.raw))
        return Message(owning: raw, limits: limits)
    }

    /// Returns a copy of this answer that answers another call.
    func copy(answering call: Message) throws(DBusError) -> Message {
        guard let raw = dbus_message_copy(raw) else { throw .noMemory }
        let copy = Message(owning: raw)
        let isComplete =
            dbus_message_set_reply_serial(raw, call.serial) != 0
            && dbus_message_set_destination(raw, dbus_message_get_sender(call.raw)) != 0
        guard isComplete else { throw .noMemory }
        return copy
    }

    /// Returns the answer that this call failed. An invalid name becomes `Failed`; text after a NUL is cut.
    public func errorReply(_ error: DBusError) -> Message {
        let name = ErrorName.isValid(error.name) ? error.name : DBusError.Name.failed
        let text = String(String.UnicodeScalarView(error.message.unicodeScalars.prefix { $0 != "\0" }.prefix(4096)))
        // An answer needs the serial of its call, which a call that was never sent has not got.
        if serial == 0 { dbus_message_set_serial(raw, 1) }
        guard let raw = dbus_message_new_error(raw, name, text) else {
            // Without memory for a hundred bytes libdbus cannot go on either.
            preconditionFailure("out of memory")
        }
        return Message(owning: raw)
    }

    /// Returns an error that answers the same call as this answer.
    func replaced(by error: DBusError) throws(DBusError) -> Message {
        guard let raw = dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) else { throw .noMemory }
        let failure = Message(owning: raw)
        let isComplete =
            dbus_message_set_error_name(raw, error.name) != 0
            && dbus_message_set_reply_serial(raw, replySerial) != 0
            && dbus_message_set_destination(raw, dbus_message_get_destination(self.raw)) != 0
        guard isComplete else { throw .noMemory }
        try failure.append(error.message)
        return failure
    }

    /// Appends arguments.
    nonisolated public func append<each Value: DBusType>(_ values: repeat each Value) throws(DBusError) {
        try write { (writer) throws(DBusError) in
            repeat try (each values).append(to: &writer)
        }
    }

    nonisolated func write<Failure: Error>(_ body: (inout MessageWriter) throws(Failure) -> Void) throws(Failure) {
        var iterator = DBusMessageIter()
        try withUnsafeMutablePointer(to: &iterator) { (iterator) throws(Failure) in
            dbus_message_iter_init_append(raw, iterator)
            var writer = MessageWriter(iterator)
            try body(&writer)
        }
    }
}

// MARK: reading arguments, and messages as bytes

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

// MARK: how large a message is, found out without building any of its values

extension Message {
    /// About how many bytes the arguments take: those of their texts, arrays and numbers.
    public var argumentBytes: Int {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(raw, &iterator) != 0 else { return 0 }
        return Self.bytes(upToTheEndOf: &iterator)
    }

    /// Whether descriptors came with the message. They are closed with it.
    public var hasDescriptors: Bool { dbus_message_contains_unix_fds(raw) != 0 }

    private static func bytes(upToTheEndOf iterator: inout DBusMessageIter) -> Int {
        var bytes = 0
        while true {
            switch dbus_message_iter_get_arg_type(&iterator) {
            case ock_type_invalid: return bytes
            case ock_type_array:
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                bytes += Int(ock_array_bytes(&inside))
            case ock_type_string, ock_type_object_path, ock_type_signature:
                var text: UnsafePointer<CChar>?
                dbus_message_iter_get_basic(&iterator, &text)
                bytes += text.map(strlen) ?? 0
            case ock_type_variant, ock_type_struct:
                var inside = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inside)
                bytes += Self.bytes(upToTheEndOf: &inside)
            default: bytes += MemoryLayout<UInt64>.size
            }
            dbus_message_iter_next(&iterator)
        }
    }
}
