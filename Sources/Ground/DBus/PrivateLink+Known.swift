// What comes over a private link again and again, and is recognized instead of parsed.

internal import CDBus
internal import EventLoop

/// The answer that most methods with details, `a{sv}`, as their one result give: none.
@LoopActor
struct PlainAnswer {
    /// Nil if libdbus is out of memory.
    static let shared = try? PlainAnswer()

    /// A call that this answers; good for nothing but being copied.
    let call: Message
    let message: Message
    let stencil: MessageStencil

    private init() throws(DBusError) {
        guard LibDBus.isReady, let raw = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_CALL) else { throw .noMemory }
        call = Message(owning: raw, limits: .request)
        dbus_message_set_serial(raw, 0xC3A5_3C5A)
        message = try call.reply([String: Variant]())
        stencil = try MessageStencil(message)
    }
}

/// Calls of one method that differ in little.
@LoopActor
struct KnownCall {
    let path: ObjectPath
    let stencil: MessageStencil
    let handler: PrivateLink.KnownCallHandler
}

extension PrivateLink {
    /// Takes a call; false if its values are none that it takes.
    public typealias KnownCallHandler = @LoopActor (MessageStencil.Values, CallContext) -> Bool

    /// Has calls that are like `stencil` handed to `handler` without being read; others go to `onCall` as ever. The message
    /// of their context has no path, no members and no arguments, and is good for answers.
    public func expectCalls(like stencil: MessageStencil, at path: ObjectPath, handler: @escaping KnownCallHandler) {
        knownCalls.append(KnownCall(path: path, stencil: stencil, handler: handler))
    }

    /// Ends what `expectCalls` began, for an object that is gone.
    public func expectNoCalls(at path: ObjectPath) {
        knownCalls.removeAll { $0.path == path }
    }

    /// Takes a packet that is known. False for any other, which is to be read.
    func takeKnown(_ packet: UnsafeRawBufferPointer) -> Bool {
        if let answer = PlainAnswer.shared, let serial = answer.stencil.replySerial(in: packet) {
            return pending.deliver(answer.message, answering: serial)
        }
        for known in knownCalls {
            guard let values = known.stencil.values(in: packet) else { continue }
            guard let call = try? PlainAnswer.shared?.call.copy() else { return false }
            dbus_message_set_serial(call.raw, values.serial)
            return known.handler(values, CallContext(message: call, channel: self))
        }
        return false
    }

    /// Answers a call with no details.
    func answerPlainly(_ call: Message) -> Bool {
        guard let stencil = PlainAnswer.shared?.stencil else { return false }
        transmit(stencil, answering: call.serial)
        return true
    }
}

extension VariantDictionary {
    /// Answers a call whose one result are details with these.
    @LoopActor
    public func answer(_ invocation: Invocation<VariantDictionary>) {
        if !isEmpty || !invocation.answerPlainly() { invocation.reply(self) }
    }
}
