// Message: one message of libdbus.

internal import CDBus
public import EventLoop

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
    /// Sends this signal to one client alone. Returns false if memory runs out.
    func direct(to client: String) -> Bool { dbus_message_set_destination(raw, client) != 0 }
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
