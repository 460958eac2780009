// The far end of the provider protocol: a channel, and the object behind it that the provider serves.

import CallModel
import DBus
import EventLoop

/// Where a provider is reached: over a worker's private link, or over the bus.
@LoopActor
final class ProviderPeer {
    private let channel: any MessageChannel
    private let destination: String?
    private let delegate: ObjectPath
    /// Calls that wait for an answer; beyond this the oldest is forgotten.
    private static let maximumWaiting = 256
    private var waiting: [UInt32] = []
    /// Told when something was sent that wants an answer.
    var onCall: (@LoopActor () -> Void)?

    init(channel: any MessageChannel, destination: String?, delegate: ObjectPath) {
        self.channel = channel
        self.destination = destination
        self.delegate = delegate
    }

    /// Sends what needs no answer.
    func notify<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        guard let message = message(member, repeat each arguments) else { return }
        message.expectsReply = false
        channel.send(message)
    }

    /// Calls a member and waits without limit: deadlines are the core's. Returns the call's serial.
    @discardableResult
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeoutMilliseconds: Int = 0,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32? {
        guard let message = message(member, repeat each arguments) else { return nil }
        var serial: UInt32 = 0
        serial = channel.call(message, timeoutMilliseconds: timeoutMilliseconds) { [weak self] result in
            self?.waiting.removeAll { $0 == serial }
            reply(result)
        }
        waiting.append(serial)
        if waiting.count > Self.maximumWaiting { channel.forget(waiting.removeFirst()) }
        onCall?()
        return serial
    }

    func key(of serial: UInt32) -> ActionBook.Key {
        ActionBook.Key(channel: ObjectIdentifier(channel), serial: serial)
    }

    /// Whether a message came from this peer.
    func isSender(of context: CallContext) -> Bool {
        context.channel === channel && context.sender == destination
    }

    private func message<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument
    ) -> Message? {
        let message = try? Message.call(
            to: destination, at: delegate, Contract.providerDelegate, member, repeat each arguments)
        message?.autoStart = false
        return message
    }

    /// Errors that say that nobody is there any more, as opposed to a provider's refusal.
    static func meansGone(_ error: DBusError) -> Bool {
        switch error.name {
        case DBusError.Name.noReply, DBusError.Name.serviceUnknown, DBusError.Name.nameHasNoOwner,
            DBusError.Name.disconnected:
            true
        default: false
        }
    }
}
