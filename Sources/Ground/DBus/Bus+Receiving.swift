// What a bus delivers: answers at once, calls in turn, so that nobody waits for others who ask too much.

internal import CDBus
internal import EventLoop

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
                take(message)
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

    func dispatchLater() {
        guard isOpen, !isDispatchPosted else { return }
        isDispatchPosted = true
        Loop.shared.post { [weak self] in self?.dispatch() }
    }

    public func takeArrived() {
        whileDispatching {
            readArrived()
            while isOpen, let message = turns.nextUpToAnswer() { take(message) }
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
        if turns.hasMessages(of: sender) { turns.add(message, of: sender) } else { take(message) }
    }

    private func take(_ message: Message) {
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
