// CallContext: the sender, the channel and the object of a method call.

public import EventLoop

/// The circumstances of a method call.
@LoopActor
public struct CallContext {
    public let message: Message
    public let channel: any MessageChannel

    /// The unique name of the caller, vouched for by the bus; nil on a private link.
    public var sender: String? { message.sender }
    public var path: ObjectPath { message.path ?? .root }
    public var destination: String? { message.destination }

    /// The same call without its arguments, so that a call that waits does not keep them.
    var withoutArguments: CallContext {
        CallContext(message: (try? message.envelope()) ?? message, channel: channel)
    }

    func answer(_ body: () throws -> Message) {
        guard message.expectsReply else { return }
        do {
            channel.send(try body())
        } catch {
            channel.send(message.errorReply(DBusError(converting: error)))
        }
    }

    func fail(_ error: any Error) {
        guard message.expectsReply else { return }
        channel.send(message.errorReply(DBusError(converting: error)))
    }
}
