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
    func takeArrived()

    /// Sends a message.
    ///
    /// - Returns: the serial of the message; 0 if the channel is closed, or if the message is too large for it.
    @discardableResult
    func send(_ message: Message) -> UInt32

    /// Calls a method. `reply` is called exactly once, and never before this returns: with the answer, or with the error
    /// that was answered, a `Timeout`, or `Disconnected`.
    ///
    /// - Parameter timeoutMilliseconds: 0 or less waits as long as the channel is open.
    /// - Returns: the serial of the call; 0 if it could not be sent.
    @discardableResult
    func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32
}
