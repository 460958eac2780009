// MessageChannel: a connection that carries messages, to a bus or to one other process.

public import EventLoop

/// A connection that messages travel on.
@LoopActor
public protocol MessageChannel: AnyObject, Sendable {
    var isOpen: Bool { get }
    /// Whether the far end is one other process, reached by nobody else: each error that arrives is its own answer.
    var isPrivate: Bool { get }
    /// Receives incoming method calls. `ObjectTree.serve(on:)` sets it.
    var onCall: (@LoopActor (Message) -> Void)? { get set }
    /// Receives answers that no `call` waits for: answers to messages that were sent with `send`, second answers, and
    /// answers that came after the time-out.
    var onUnmatchedReply: (@LoopActor (Message) -> Void)? { get set }

    /// Handles the answers that have arrived, and what their senders sent before them. Whoever ends a wait calls it
    /// first, so that an answer that was in time is not late because it was not read.
    func handleArrived()

    /// Sends a message.
    ///
    /// - Returns: the serial of the message; 0 if the channel is closed, or if the message is too large for it.
    @discardableResult
    func send(_ message: Message) -> UInt32

    /// Calls a method. `reply` is called exactly once, and never before this returns: with the answer, or with the error
    /// that was answered, a `Timeout`, or `Disconnected`.
    ///
    /// - Parameter timeout: zero or less waits as long as the channel is open.
    /// - Returns: the serial of the call; 0 if it could not be sent.
    @discardableResult
    func call(
        _ message: Message, timeout: Duration, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32
}

// MARK: typed calls

extension MessageChannel {
    /// Calls a method and returns its results, of the types that the caller expects:
    /// `let id: String = try await bus.call(to: name, at: path, interface, "Add", "x", true)`.
    nonisolated(nonsending) public func call<each Argument: DBusType, each Value: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> (repeat each Value) {
        let message = try await Message.call(to: destination, at: path, interface, member, repeat each arguments)
        let answer: Struct<repeat each Value> = try await answer(to: message, timeout)
        return (repeat each answer.fields)
    }

    /// Calls a method without results.
    nonisolated(nonsending) public func call<each Argument: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeout: Duration = .seconds(25)
    ) async throws(DBusError) {
        let message = try await Message.call(to: destination, at: path, interface, member, repeat each arguments)
        let _: Struct<> = try await answer(to: message, timeout)
    }

    /// Calls a method and returns the whole answer.
    public func call(_ message: Message, timeout: Duration = .seconds(25)) async throws(DBusError) -> Message {
        try await withCheckedContinuation { continuation in
            call(message, timeout: timeout) { continuation.resume(returning: $0) }
        }.get()
    }

    private func answer<each Value: DBusType>(
        to message: Message, _ timeout: Duration
    ) async throws(DBusError) -> Struct<repeat each Value> {
        try await call(message, timeout: timeout).readAll()
    }

    /// Returns the value of a property.
    public func getProperty<Value: DBusType>(
        of destination: String? = nil, at path: ObjectPath, _ interface: String, _ name: String
    ) async throws(DBusError) -> Value {
        let message = try Message.call(to: destination, at: path, StandardInterface.properties, "Get", interface, name)
        return try await call(message).read(Boxed<Value>.self).value
    }

    /// Sets a property.
    public func setProperty(
        of destination: String? = nil, at path: ObjectPath, _ interface: String, _ name: String, to value: some DBusType
    ) async throws(DBusError) {
        _ = try await call(
            Message.call(
                to: destination, at: path, StandardInterface.properties, "Set", interface, name, Boxed(value)))
    }
}
