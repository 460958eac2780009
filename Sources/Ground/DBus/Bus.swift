// Bus: a connection to a message bus.

internal import CDBus
public import EventLoop
internal import Glibc

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
    /// Receives answers to calls that were sent to somebody else. They answer nothing.
    public var onForgedReply: (@LoopActor (Message) -> Void)?
    /// Looks at each method call that arrives, before it waits for its turn. An error refuses it.
    public var refusal: (@LoopActor (Message, WaitingMessages) -> DBusError?)?
    /// The group of a sender, by any name: the senders of one group have their turns together, and are counted together.
    public var group: @LoopActor (String) -> String {
        get { turns.group }
        set { turns.group = newValue }
    }
    /// Called once when the bus goes away, after all pending calls have failed; not after `close()`.
    public var onDisconnected: (@LoopActor () -> Void)?
    /// Called when the bus takes a well-known name away from this connection.
    public var onNameLost: (@LoopActor (String) -> Void)?
    /// While more bytes wait to be sent, nothing is read, and nothing served.
    public var maximumQueuedBytes = 128 << 10
    /// The size of the largest message that is accepted, in bytes.
    public nonisolated static let maximumMessage = 64 << 20
    /// In bytes, twice of which the kernel takes.
    private static let sendBuffer: Int32 = 16 << 10
    /// How many descriptors may have arrived with messages that are not handled.
    private static let maximumDescriptors = 64

    /// What is served without `onCall`: no objects, and the `Peer` interface.
    static let nothing = ObjectTree()

    let pending = PendingReplies()
    let subscriptions = Subscriptions()
    var whenGone: (@LoopActor () -> Void)?
    private var watches: BusWatches?
    let turns = TurnQueue()
    var isDispatching = false
    var isDispatchPosted = false

    /// Takes over a connection that was just opened.
    init(_ connection: OpaquePointer) throws(DBusError) {
        self.connection = connection
        dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus_connection_set_max_received_size(connection, Bus.maximumMessage)
        dbus_connection_set_max_received_unix_fds(connection, Bus.maximumDescriptors)
        boundSendBuffer()
        watches = try BusWatches(connection) { [weak self] in self?.dispatch() }
    }

    /// Keeps what waits to be sent here rather than in the kernel, where it is not seen, and delays what is sent to others.
    private func boundSendBuffer() {
        var descriptor: Int32 = -1
        guard dbus_connection_get_socket(connection, &descriptor) != 0 else { return }
        var size = Bus.sendBuffer
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
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
        turns.removeAll()
        pending.failAll(.disconnected)
    }

    func disconnected() {
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
        let isSent = dbus_connection_send(connection, message.raw, &serial) != 0
        // libdbus may have written all that waited: nobody is told of that.
        if !turns.isEmpty, !isDispatching { dispatchLater() }
        return isSent ? serial : 0
    }

    @discardableResult
    public func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        let serial = send(message)
        if serial == 0 {
            PendingReplies.failLater(reply, isOpen && message.hasDescriptors ? .noDescriptors : .disconnected)
        } else {
            pending.add(serial, to: message.destination, timeoutMilliseconds: timeoutMilliseconds, reply)
        }
        return serial
    }

    /// Whether messages with descriptors can be sent. A bus on another machine takes none.
    public var carriesDescriptors: Bool { dbus_connection_can_send_type(connection, ock_type_descriptor) != 0 }

    /// Returns once all method calls that were sent have their answers, and those that were sent because of these answers too.
    public func settle() async {
        var count: Int
        repeat {
            await pending.none.pass()
            count = pending.count
            // Meanwhile tasks that have had their answers go on, and ask for more.
            let _: String? = try? await call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetId")
        } while isOpen && (pending.count > count + 1 || !pending.none.isOpen)
    }

    /// How many method calls have arrived and wait for their turn.
    public var waitingCalls: Int { turns.count }

    /// How many bytes wait to be sent.
    public var queuedBytes: Int { dbus_connection_get_outgoing_size(connection) }

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
}
