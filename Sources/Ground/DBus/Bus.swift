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
    private var isDispatching = false
    private var isDispatchPosted = false

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
        _ message: Message, timeout: Duration, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        let serial = send(message)
        if serial == 0 {
            PendingReplies.failLater(reply, isOpen && message.hasDescriptors ? .noDescriptors : .disconnected)
        } else {
            pending.add(serial, to: message.destination, timeout: timeout, reply)
        }
        return serial
    }

    /// Whether messages with descriptors can be sent. A bus on another machine takes none.
    public var carriesDescriptors: Bool { dbus_connection_can_send_type(connection, ock_type_descriptor) != 0 }

    /// Returns once all method calls that were sent have their answers, and those that were sent because of these answers too.
    public func settle() async {
        // What goes on with an answer may run after this task has gone on with its own. So there are two rounds: it has run
        // when the second one's answer is there.
        var quietRounds = 0
        while isOpen, quietRounds < 2 {
            await pending.none.pass()
            let count = pending.count
            let _: String? = try? await call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetId")
            quietRounds = pending.count == count + 1 && pending.none.isOpen ? quietRounds + 1 : 0
        }
    }

    /// How many method calls have arrived and wait for their turn.
    public var waitingCalls: Int { turns.count }

    /// How many bytes wait to be sent.
    public var queuedBytes: Int { dbus_connection_get_outgoing_size(connection) }

    /// Waits until everything was sent, at most so long. Call it before the process ends.
    public func flush(timeout: Duration = .seconds(1)) {
        let deadline = MonotonicTime.now.advanced(by: timeout)
        while isOpen, dbus_connection_has_messages_to_send(connection) != 0 {
            let left = deadline.duration(since: .now).milliseconds
            if left <= 0 || dbus_connection_read_write(connection, Int32(clamping: left)) == 0 { break }
        }
        // Messages may have been read as well; they are handled later.
        Loop.shared.post { [weak self] in self?.dispatch() }
    }
}

// MARK: opening a connection, without ever waiting on the loop's thread

extension Bus {
    /// Connects to the bus at `address`, by default that of the session.
    ///
    /// Throws the error of libdbus if nothing listens there, and `Timeout` if the bus does not answer.
    nonisolated public static func connect(
        to address: String? = nil, timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> Bus {
        try await withCheckedContinuation { continuation in
            Loop.shared.post {
                connect(to: address, timeout: timeout) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Connects, and hands the connection to `completion`, which is not called before this returns.
    public static func connect(
        to address: String? = nil, timeout: Duration = .seconds(25),
        completion: @escaping @LoopActor (Result<Bus, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let bus = if let address { try open(address) } else { try open(sessionAddress()) }
            let hello = try Message.call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "Hello")
            bus.call(hello, timeout: timeout) { result in
                // Holding the bus, this keeps it alive until it is answered.
                completion(result.flatMap { bus.named($0) })
                if case .failure = result { bus.close() }
            }
        } catch {
            Loop.shared.post { completion(.failure(error)) }
        }
    }

    private func named(_ reply: Message) -> Result<Bus, DBusError> {
        do throws(DBusError) {
            uniqueName = try reply.read(String.self)
            dbus_bus_set_unique_name(connection, uniqueName)
            return .success(self)
        } catch {
            return .failure(error)
        }
    }

    private static func open(_ address: String) throws(DBusError) -> Bus {
        if address.hasNUL { throw DBusError(DBusError.Name.invalidArgs, "an address with a NUL character") }
        guard LibDBus.isReady else { throw .noMemory }
        let connection = try DBusError.catching { dbus_connection_open_private(address, $0) }
        return try Bus(connection)
    }

    private static func sessionAddress() throws(DBusError) -> String {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
        if let folder = getenv("XDG_RUNTIME_DIR") { return "unix:path=\(String(cString: folder))/bus" }
        throw DBusError(DBusError.Name.failed, "no session bus: DBUS_SESSION_BUS_ADDRESS is not set")
    }
}

// MARK: what a bus delivers: answers at once, calls in turn

extension Bus {
    /// How many messages are read before others have their turn.
    private static let maximumArrived = 1_024
    /// Who has more calls waiting is not served while much waits to be sent.
    private static let modest = 16
    /// How long calls are served before others have their turn, in nanoseconds.
    private static let turnLength: UInt64 = 500_000

    /// Whether the bus does not take what is sent to it. Nothing more is read then: each request makes more of it.
    private var isCongested: Bool { queuedBytes > maximumQueuedBytes }

    /// Whether others would wait for what is sent to those who ask for much.
    private var isBusy: Bool { queuedBytes > maximumQueuedBytes / 8 }

    /// Reads all that has arrived, and serves calls for a while; then timers and other descriptors have their turn.
    func dispatch() {
        isDispatchPosted = false
        guard !isCongested else { return }
        whileDispatching {
            readArrived()
            let end = MonotonicTime.now.nanoseconds + Bus.turnLength
            while isOpen, let message = nextMessage() {
                handle(message)
                if MonotonicTime.now.nanoseconds > end { return dispatchLater() }
            }
        }
    }

    private func nextMessage() -> Message? {
        isCongested ? nil : turns.next(ofThoseWithAtMost: isBusy ? Bus.modest : nil)
    }

    /// Lets what a client sends wait, in its order, until it is released; nobody else waits for it.
    public func hold(_ client: String) { turns.hold(client) }

    public func release(_ client: String) {
        turns.release(client)
        dispatchLater()
    }

    private func dispatchLater() {
        guard isOpen, !isDispatchPosted else { return }
        isDispatchPosted = true
        Loop.shared.post { [weak self] in self?.dispatch() }
    }

    public func handleArrived() {
        whileDispatching {
            readArrived()
            while isOpen, let message = turns.nextUpToAnswer() { handle(message) }
        }
        if !turns.isEmpty { dispatchLater() }
    }

    private func whileDispatching(_ body: () -> Void) {
        guard isOpen, !isDispatching else { return }
        isDispatching = true
        dbus_connection_ref(connection)
        defer { dbus_connection_unref(connection) }
        body()
        isDispatching = false
    }

    private func readArrived() {
        var left = Bus.maximumArrived
        // libdbus's own dispatching would look for its own handlers, of which there are none. Popping returns nothing when
        // libdbus is out of memory as well; the message comes when more has arrived.
        while isOpen, left > 0 {
            if let raw = dbus_connection_pop_message(connection) {
                arrived(Message(received: raw))
            } else {
                // libdbus reads a few kilobytes at a time.
                dbus_connection_read_write(connection, 0)
                guard dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS else { return }
            }
            left -= 1
        }
        dispatchLater()
    }

    /// Lets calls wait for their turn, and all else behind the calls of the same sender.
    private func arrived(_ message: Message) {
        let sender = message.sender ?? ""
        switch message.kind {
        case .call:
            if let error = refusal?(message, turns.waiting(of: sender)) {
                if message.expectsReply { send(message.errorReply(error)) }
            } else {
                turns.add(message, of: sender, bytes: message.argumentBytes)
            }
        case .reply, .error: wait(message, behind: sender)
        case .signal: wait(message, behind: BusDriver.nameThatLeft(in: message) ?? sender)
        }
    }

    private func wait(_ message: Message, behind sender: String) {
        if turns.hasMessages(of: sender) { turns.add(message, of: sender) } else { handle(message) }
    }

    private func handle(_ message: Message) {
        switch message.kind {
        case .call:
            if let onCall {
                onCall(message)
            } else {
                Bus.nothing.handle(message, on: self)
            }
        case .reply, .error:
            switch pending.deliver(message, isGenuine: { isAnswer(message, of: $0) }) {
            case .delivered: break
            case .forged: onForgedReply?(message)
            case .unmatched: onUnmatchedReply?(message)
            }
        case .signal:
            if dbus_message_is_signal(message.raw, DBUS_INTERFACE_LOCAL, "Disconnected") != 0 {
                disconnected()
            } else {
                receiveSignal(message)
            }
        }
    }

    /// The owner of a well-known name is known if somebody here listens to its signals.
    private func isAnswer(_ message: Message, of destination: String?) -> Bool {
        guard let destination else { return true }
        if destination == BusDriver.name || BusName.isUnique(destination) { return message.isAnswer(of: destination) }
        return subscriptions.owner(of: destination).map { message.isAnswer(of: $0) } ?? true
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

extension BusDriver {
    /// The name whose owner has left, according to a signal of the bus.
    @LoopActor
    fileprivate static func nameThatLeft(in message: Message) -> String? {
        guard dbus_message_is_signal(message.raw, interface, "NameOwnerChanged") != 0, message.sender == name,
            let (changed, _, owner) = try? message.read(String.self, String.self, String.self), owner.isEmpty
        else { return nil }
        return changed
    }
}
