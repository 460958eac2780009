// The far end of the provider protocol: a channel, and the object behind it that the provider serves.

import CallModel
import DBus
import EventLoop

/// Where a provider is reached: over a worker's private link, or over the bus.
@LoopActor
final class ProviderPeer {
    /// Appends the arguments of a call.
    typealias MessageWriting = (inout MessageWriter) throws(DBusError) -> Void

    private let channel: any MessageChannel
    private let destination: String?
    private let delegate: ObjectPath
    /// Calls that wait for an answer; beyond this the oldest is forgotten.
    private static let maximumWaiting = 256
    private var waiting: [UInt32] = []
    private var templates: [String: MessageTemplate] = [:]
    /// Told when something was sent that wants an answer.
    var onCall: (@LoopActor () -> Void)?

    init(channel: any MessageChannel, destination: String?, delegate: ObjectPath) {
        self.channel = channel
        self.destination = destination
        self.delegate = delegate
    }

    /// Sends what needs no answer.
    func notify(_ member: String, _ write: MessageWriting = { (_) throws(DBusError) in }) {
        guard let message = message(member, write) else { return }
        message.expectsReply = false
        channel.send(message)
    }

    /// Calls a member and waits without limit: deadlines are the core's. Returns the call's serial.
    @discardableResult
    func call(
        _ member: String, _ write: MessageWriting = { (_) throws(DBusError) in }, timeoutMilliseconds: Int = 0,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32? {
        guard let message = message(member, write) else { return nil }
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

    private func message(_ member: String, _ write: MessageWriting) -> Message? {
        if templates[member] == nil {
            templates[member] = try? MessageTemplate(to: destination, at: delegate, Contract.providerDelegate, member)
        }
        let message = try? templates[member]?.call(write)
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
