// Message: one message of libdbus.

internal import CDBus
public import EventLoop

/// A method call, its answer, or a signal. Received ones must not be changed.
///
/// What travels on a bus is libdbus's. Calls without a destination, which only a private link carries, and what came over
/// one and its answers, are laid out here; a bus that gets one makes it libdbus's.
@LoopActor
public final class Message {
    public enum Kind: Sendable {
        case call, reply, error, signal
    }

    /// Nil if `wire` is the message.
    nonisolated(unsafe) let raw: OpaquePointer?
    var wire: WireMessage
    /// How much may be read from it.
    let limits: ReadLimits

    /// Takes over one reference to the message.
    init(owning raw: OpaquePointer, limits: ReadLimits = .answer) {
        self.raw = raw
        self.limits = limits
        wire = WireMessage()
    }

    /// A message that libdbus keeps a reference of its own to.
    convenience init(borrowing raw: OpaquePointer) {
        let isCall = dbus_message_get_type(raw) == DBUS_MESSAGE_TYPE_METHOD_CALL
        self.init(owning: dbus_message_ref(raw), limits: isCall ? .request : .answer)
    }

    init(_ wire: WireMessage, limits: ReadLimits = .answer) {
        raw = nil
        self.wire = wire
        self.limits = limits
    }

    deinit {
        if let raw { dbus_message_unref(raw) }
    }

    public var kind: Kind {
        guard let raw else { return wire.kind }
        return switch dbus_message_get_type(raw) {
        case DBUS_MESSAGE_TYPE_METHOD_CALL: .call
        case DBUS_MESSAGE_TYPE_METHOD_RETURN: .reply
        case DBUS_MESSAGE_TYPE_ERROR: .error
        default: .signal
        }
    }

    public var path: ObjectPath? {
        if let pathText { ObjectPath(unchecked: pathText) } else { nil }
    }
    var pathText: String? { text(dbus_message_get_path, wire.path) }
    public var interface: String? { text(dbus_message_get_interface, wire.interface) }
    public var member: String? { text(dbus_message_get_member, wire.member) }
    /// The unique name of the sender, as the bus vouches for it; nil on a private link.
    public var sender: String? { text(dbus_message_get_sender, wire.sender) }
    public var destination: String? { text(dbus_message_get_destination, wire.destination) }
    public var errorName: String? { text(dbus_message_get_error_name, wire.errorName) }
    public var serial: UInt32 { if let raw { dbus_message_get_serial(raw) } else { wire.serial } }
    /// The serial of the call that this answers; 0 if it is no answer.
    public var replySerial: UInt32 { if let raw { dbus_message_get_reply_serial(raw) } else { wire.replySerial } }
    public var signature: String {
        if let raw { String(message: dbus_message_get_signature(raw)) ?? "" } else { wire.signature }
    }

    private func text(_ get: (OpaquePointer) -> UnsafePointer<CChar>?, _ range: Range<Int>) -> String? {
        if let raw { String(message: get(raw)) } else { wire.text(range) }
    }

    /// Lets the message look as if nobody had sent it.
    func forgetSender() {
        if let raw { _ = dbus_message_set_sender(raw, nil) } else { wire.sender = 0..<0 }
    }

    /// What an error answer says; nil for other messages. The text is its first argument, if that is text.
    public var error: DBusError? {
        guard kind == .error else { return nil }
        let text = signature.hasPrefix("s") ? try? read { reader throws(DBusError) in try String(from: &reader) } : nil
        return DBusError(errorName ?? DBusError.Name.failed, text ?? "")
    }

    /// Whether the sender of this call wants an answer.
    public var expectsReply: Bool {
        get {
            guard let raw else { return !wire.has(WireMessage.noReplyExpected) }
            return dbus_message_get_no_reply(raw) == 0
        }
        set {
            guard let raw else { return wire.set(WireMessage.noReplyExpected, !newValue) }
            dbus_message_set_no_reply(raw, newValue ? 0 : 1)
        }
    }

    /// Whether the bus may start the destination's service.
    public var autoStart: Bool {
        get {
            guard let raw else { return !wire.has(WireMessage.noAutoStart) }
            return dbus_message_get_auto_start(raw) != 0
        }
        set {
            guard let raw else { return wire.set(WireMessage.noAutoStart, !newValue) }
            dbus_message_set_auto_start(raw, newValue ? 1 : 0)
        }
    }

    func has(interface: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: interface.utf8Start, count: interface.utf8CodeUnitCount)
        guard let raw else { return wire.holds(wire.interface, text) }
        return dbus_message_has_interface(raw, constant(text)) != 0
    }

    func has(signature: String) -> Bool {
        guard let raw else { return wire.has(signature: signature) }
        return dbus_message_has_signature(raw, signature) != 0
    }

    /// A copy that has not been sent.
    func copy() throws(DBusError) -> Message {
        guard let raw else {
            var wire = wire
            wire.serial = 0
            return Message(wire, limits: limits)
        }
        guard let copy = dbus_message_copy(raw) else { throw .noMemory }
        return Message(owning: copy, limits: limits)
    }

    /// The message as libdbus's own, as a bus needs it.
    func forBus() throws(DBusError) -> Message {
        if raw != nil { return self }
        let packet = wire.packet(serial: 1)
        // The packet lives until here.
        defer { withExtendedLifetime(packet) {} }
        return try Message.libraryMessage(packet.buffer).copy()
    }
}

/// Static strings end with a NUL.
private func constant(_ buffer: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
    UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
}

extension String {
    /// A text that libdbus has checked.
    fileprivate init?(message text: UnsafePointer<CChar>?) {
        guard let text else { return nil }
        self.init(cString: text)
    }
}
