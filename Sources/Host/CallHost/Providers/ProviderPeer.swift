// The far end of the provider protocol: a channel, and the delegate object that the provider serves there.

import CallModel
import CallWire
import DBus
import EventLoop

/// Where a provider is reached: over a worker's private link, or over the bus.
@LoopActor
final class ProviderPeer {
    private let channel: any MessageChannel
    private let destination: String?
    private let delegate: ObjectPath
    /// Called when a message that wants an answer was sent.
    var onCall: (@LoopActor () -> Void)?

    init(channel: any MessageChannel, destination: String?, delegate: ObjectPath) {
        self.channel = channel
        self.destination = destination
        self.delegate = delegate
    }

    /// Sends a message that needs no answer.
    func notify<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) throws(DBusError) {
        let message = try message(member, repeat each arguments)
        message.expectsReply = false
        channel.send(message)
    }

    /// Calls a member of the delegate.
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeoutMilliseconds: Int,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try message(member, repeat each arguments)
            channel.call(message, timeoutMilliseconds: timeoutMilliseconds) { [self] result in
                verify(result, then: reply)
            }
            onCall?()
        } catch {
            Loop.shared.post { reply(.failure(error)) }
        }
    }

    /// Sends an action to be performed. Its answers, however many come, are unmatched replies on the channel.
    ///
    /// - Returns: the key of the action in the book; nil if the channel is closed.
    func send(_ wire: PerformWire) throws(DBusError) -> ActionBook.Key? {
        let message = try wire.message(to: destination, at: delegate)
        message.autoStart = false
        let serial = channel.send(message)
        guard serial != 0 else {
            if !channel.isOpen { return nil }
            throw DBusError(DBusError.Name.limitsExceeded, "the action is too large to be sent")
        }
        onCall?()
        return ActionBook.Key(channel, serial)
    }

    /// Hands on an answer, once it is clear whether an error means that the peer is gone.
    func verify(
        _ result: Result<Message, DBusError>, then handler: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        channel.verify(result, by: destination, then: handler)
    }

    /// Whether an answer comes from this peer, or from the bus in its place.
    func isAnswer(_ message: Message) -> Bool { destination.map { message.isAnswer(of: $0) } ?? true }

    func takeArrived() { channel.takeArrived() }

    /// Whether a message came from this peer.
    func isSender(of context: CallContext) -> Bool {
        context.channel === channel && context.sender == destination
    }

    private func message<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) throws(DBusError) -> Message {
        let message = try Message.call(
            to: destination, at: delegate, Contract.providerDelegate, member, repeat each arguments)
        message.autoStart = false
        return message
    }

    /// Whether an error says that the peer is gone, as opposed to a provider's refusal.
    static func meansGone(_ error: DBusError) -> Bool {
        switch error.name {
        case DBusError.Name.noReply, DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner,
            DBusError.Name.disconnected:
            true
        default: false
        }
    }
}
