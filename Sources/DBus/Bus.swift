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

    public var onCall: (@LoopActor (Message) -> Void)? {
        // libdbus would answer a Ping before what has been sent to be announced.
        didSet { dbus_connection_set_route_peer_messages(connection, onCall == nil ? 0 : 1) }
    }
    public var onUnmatchedReply: (@LoopActor (Message) -> Void)?
    /// Called once when the bus goes away, after all pending calls have failed; not after `close()`.
    public var onDisconnected: (@LoopActor () -> Void)?
    /// Called when the bus takes a well-known name away from this connection.
    public var onNameLost: (@LoopActor (String) -> Void)?
    /// What may wait to be sent, in bytes. A bus that reads so little is given up.
    public var maximumQueuedBytes = 16 << 20

    let pending = PendingReplies()
    let subscriptions = Subscriptions()
    var whenGone: (@LoopActor () -> Void)?
    private var watches: BusWatches?
    private var isDispatching = false

    /// Takes over a connection that was just opened.
    init(_ connection: OpaquePointer) throws(DBusError) {
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus_connection_set_max_received_size(connection, 64 << 20)
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard dbus_connection_add_filter(connection, receiveFromBus, context, nil) != 0 else { throw .noMemory }
        dbus_connection_set_dispatch_status_function(connection, dispatchStatusChanged, context, nil)
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
        let context = Unmanaged.passUnretained(self).toOpaque()
        dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
        watches?.cancel()
        watches = nil
        dbus_connection_remove_filter(connection, receiveFromBus, context)
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
    public func send(_ message: Message) -> Bool {
        transmit(message) != 0
    }

    /// Sends a message and returns its serial; 0 if it could not be sent.
    private func transmit(_ message: Message) -> UInt32 {
        guard isOpen else { return 0 }
        var serial: dbus_uint32_t = 0
        guard dbus_connection_send(connection, message.raw, &serial) != 0 else { return 0 }
        if dbus_connection_get_outgoing_size(connection) > maximumQueuedBytes {
            Loop.shared.post { [weak self] in self?.disconnected() }
        }
        return serial
    }

    @discardableResult
    public func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        let serial = transmit(message)
        if serial == 0 {
            PendingReplies.failLater(reply, .disconnected)
        } else {
            pending.add(serial, timeoutMilliseconds: timeoutMilliseconds, reply)
        }
        return serial
    }

    public func forget(_ serial: UInt32) {
        pending.forget(serial)
    }

    /// Waits until everything was sent, at most so long. Call it before the process ends.
    public func flush(timeoutMilliseconds: Int = 1000) {
        let deadline = MonotonicTime.now.advanced(byMilliseconds: timeoutMilliseconds)
        while isOpen, dbus_connection_has_messages_to_send(connection) != 0 {
            let left = deadline.milliseconds(since: .now)
            if left <= 0 || dbus_connection_read_write(connection, Int32(clamping: left)) == 0 { return }
        }
    }

    // MARK: receiving

    fileprivate func scheduleDispatch() {
        guard !isDispatching, watches?.isHandling != true else { return }
        Loop.shared.post { [weak self] in self?.dispatch() }
    }

    /// Handles what has been received; a long queue in portions, so that timers and others get their turn.
    private func dispatch() {
        guard isOpen, !isDispatching else { return }
        isDispatching = true
        dbus_connection_ref(connection)
        defer { dbus_connection_unref(connection) }
        var status = dbus_connection_get_dispatch_status(connection)
        var budget = 256
        while status == DBUS_DISPATCH_DATA_REMAINS, isOpen, budget > 0 {
            status = dbus_connection_dispatch(connection)
            budget -= 1
        }
        isDispatching = false
        if isOpen, status != DBUS_DISPATCH_COMPLETE { scheduleDispatch() }
    }

    fileprivate func receive(_ raw: OpaquePointer) {
        let message = Message(borrowing: raw)
        switch message.kind {
        case .call:
            if let onCall {
                onCall(message)
            } else if message.expectsReply {
                send(message.errorReply(DBusError(DBusError.Name.unknownObject, "nothing is served here")))
            }
        case .reply, .error:
            if !pending.deliver(message) { onUnmatchedReply?(message) }
        case .signal:
            if dbus_message_is_signal(raw, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
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

private func receiveFromBus(
    _ connection: OpaquePointer?, _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) -> DBusHandlerResult {
    guard let context, let message else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    nonisolated(unsafe) let (raw, owner) = (message, context)
    LoopActor.assumeIsolated { Unmanaged<Bus>.fromOpaque(owner).takeUnretainedValue().receive(raw) }
    return DBUS_HANDLER_RESULT_HANDLED
}

private func dispatchStatusChanged(
    _ connection: OpaquePointer?, _ status: DBusDispatchStatus, _ context: UnsafeMutableRawPointer?
) {
    guard let context, status != DBUS_DISPATCH_COMPLETE else { return }
    nonisolated(unsafe) let owner = context
    LoopActor.assumeIsolated { Unmanaged<Bus>.fromOpaque(owner).takeUnretainedValue().scheduleDispatch() }
}
