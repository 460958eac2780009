// Bus: a connection to a message bus.

internal import CDBus
public import EventLoop

/// A private connection to a bus, by default the session bus. Dropping it closes it.
@LoopActor
public final class Bus: MessageChannel {
    nonisolated(unsafe) let connection: OpaquePointer
    /// The name that the bus gave this connection.
    public internal(set) var uniqueName = ""
    public private(set) var isOpen = true
    public var isPrivate: Bool { false }

    /// Receives method calls. Without it no objects are served, and calls are answered with `UnknownObject`.
    public var onCall: (@LoopActor (Message) -> Void)?
    public var onUnmatchedReply: (@LoopActor (Message) -> Void)?
    /// Called once when the bus goes away, after all pending calls have failed; not after `close()`.
    public var onDisconnected: (@LoopActor () -> Void)?
    /// Called when the bus takes a well-known name away from this connection.
    public var onNameLost: (@LoopActor (String) -> Void)?
    /// How many bytes may wait to be sent. A bus that lets more pile up is given up.
    public var maximumQueuedBytes = 16 << 20
    /// The size of the largest message that is accepted, in bytes.
    nonisolated static let maximumMessage = 64 << 20

    /// What is served without `onCall`: no objects, and the `Peer` interface.
    private static let nothing = ObjectTree()

    let pending = PendingReplies()
    let subscriptions = Subscriptions()
    var whenGone: (@LoopActor () -> Void)?
    private var watches: BusWatches?
    private var isDispatching = false

    /// Takes over a connection that was just opened.
    init(_ connection: OpaquePointer) throws(DBusError) {
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus_connection_set_max_received_size(connection, Bus.maximumMessage)
        watches = try BusWatches(connection) { [weak self] in self?.dispatch() }
    }

    isolated deinit {
        close()
        dbus_connection_unref(connection)
    }

    /// Closes the connection. Pending calls fail; `onDisconnected` is not called.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        watches?.cancel()
        watches = nil
        dbus_connection_close(connection)
        subscriptions.removeAll()
        pending.failAll(.disconnected)
    }

    private func disconnected() {
        guard isOpen else { return }
        close()
        let (notify, tell) = (whenGone, onDisconnected)
        whenGone = nil
        notify?()
        tell?()
    }

    @discardableResult
    public func send(_ message: Message) -> UInt32 {
        guard isOpen else { return 0 }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(connection, message.raw, &serial) != 0 else { return 0 }
        if watches?.isWriting == true, dbus_connection_get_outgoing_size(connection) > maximumQueuedBytes {
            Loop.shared.post { [weak self] in self?.disconnected() }
        }
        return serial
    }

    @discardableResult
    public func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        let serial = send(message)
        if serial == 0 {
            PendingReplies.failLater(reply, .disconnected)
        } else {
            pending.add(serial, timeoutMilliseconds: timeoutMilliseconds, reply)
        }
        return serial
    }

    /// Waits until everything was sent, at most so long. Call it before the process ends.
    public func flush(timeoutMilliseconds: Int = 1000) {
        let deadline = MonotonicTime.now.advanced(byMilliseconds: timeoutMilliseconds)
        while isOpen, dbus_connection_has_messages_to_send(connection) != 0 {
            let left = deadline.milliseconds(since: .now)
            if left <= 0 || dbus_connection_read_write(connection, Int32(clamping: left)) == 0 { break }
        }
        // Messages may have been read as well; they are handled later.
        Loop.shared.post { [weak self] in self?.dispatch() }
    }

    // MARK: receiving

    /// Handles received messages; a long queue in portions, so that timers get their turn.
    private func dispatch() {
        guard isOpen, !isDispatching else { return }
        isDispatching = true
        dbus_connection_ref(connection)
        defer { dbus_connection_unref(connection) }
        var budget = 256
        // libdbus's own dispatching would look for its own handlers, of which there are none. This call returns nothing when
        // libdbus is out of memory as well; the message comes when more has arrived.
        while isOpen, budget > 0, let raw = dbus_connection_pop_message(connection) {
            receive(Message(received: raw))
            budget -= 1
        }
        isDispatching = false
        if budget == 0 { Loop.shared.post { [weak self] in self?.dispatch() } }
    }

    private func receive(_ message: Message) {
        switch message.kind {
        case .call:
            if let onCall {
                onCall(message)
            } else {
                Bus.nothing.handle(message, on: self)
            }
        case .reply, .error:
            if !pending.deliver(message) { onUnmatchedReply?(message) }
        case .signal:
            if dbus_message_is_signal(message.raw, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
                disconnected()
            } else {
                receiveSignal(message)
            }
        }
    }

    private func receiveSignal(_ message: Message) {
        if dbus_message_is_signal(message.raw, BusDriver.interface, "NameLost") != 0,
            message.sender == BusDriver.name, let name = try? message.read(String.self), name != uniqueName
        {
            onNameLost?(name)
        }
        subscriptions.deliver(message)
    }
}
