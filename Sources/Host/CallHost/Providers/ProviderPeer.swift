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
        _ member: String, _ arguments: repeat each Argument, timeout: Duration,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let message = try message(member, repeat each arguments)
            channel.call(message, timeout: timeout) { [self] result in
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

    func handleArrived() { channel.handleArrived() }

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

extension MessageChannel {
    /// Hands on the answer of `peer`, a unique name on the bus, or of the far end of a link if it is nil.
    ///
    /// An error that means that the peer is gone becomes a plain failure if the peer is still there: it has passed on an error
    /// about another process then.
    func verify(
        _ result: Result<Message, DBusError>, by peer: String?,
        then handler: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        guard case .failure(let error) = result, ProviderPeer.meansGone(error), isOpen else { return handler(result) }
        let refusal = Result<Message, DBusError>.failure(DBusError(DBusError.Name.failed, error.message))
        guard let peer else { return handler(isPrivate ? refusal : result) }
        let question = try? Message.call(
            to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "NameHasOwner", peer)
        guard let question else { return handler(result) }
        call(question, timeout: .seconds(5)) { answer in
            var isThere = false
            if case .success(let reply) = answer { isThere = (try? reply.read(Bool.self)) ?? false }
            handler(isThere ? refusal : result)
        }
    }
}

extension DBusError {
    /// Its text for people, made safe to show, behind the name if that says more than that it failed.
    var words: String {
        let text = message.displayable
        if RefusalWord(busName: name) != nil { return text }
        let name: String
        switch ErrorCode(busName: self.name) {
        case .actionFailed?: return text
        case let code?: name = code.rawValue
        case nil: name = self.name
        }
        guard name != DBusError.Name.failed else { return text }
        return text.isEmpty ? name : "\(name): \(text)"
    }
}
