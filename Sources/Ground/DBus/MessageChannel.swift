// MessageChannel: what carries messages, to a bus or to one other process.

public import EventLoop

/// A connection that messages travel on.
@LoopActor
public protocol MessageChannel: AnyObject, Sendable {
    var isOpen: Bool { get }
    /// Gets incoming method calls. `ObjectTree.serve(on:)` sets it.
    var onCall: (@LoopActor (Message) -> Void)? { get set }
    /// Gets answers that no call waits for, such as those that came after the time-out.
    var onUnmatchedReply: (@LoopActor (Message) -> Void)? { get set }

    /// Sends a message. False if the channel is closed or its queue is full.
    @discardableResult
    func send(_ message: Message) -> Bool

    /// Calls a method. `reply` is called exactly once, and never before this returns: with the answer, or with the error
    /// that was answered, a `Timeout`, or `Disconnected`.
    ///
    /// - Parameter timeoutMilliseconds: 0 or less waits as long as the channel is open.
    /// - Returns: the serial of the call; 0 if it could not be sent.
    @discardableResult
    func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32

    /// Drops the handler of a pending call without calling it; its answer will be an unmatched one.
    func forget(_ serial: UInt32)
}
