// The far end of the provider protocol: a channel, and the object behind it that the provider serves.

import CallModel
import DBus
import EventLoop
import CallWire

/// Where a provider is reached: over a worker's private link, or over the bus.
@LoopActor
final class ProviderPeer {
    /// Appends the arguments of a call.
    typealias MessageWriting = (inout MessageWriter) throws(DBusError) -> Void

    typealias Answer = @LoopActor (Result<Message, DBusError>) -> Void

    private let channel: any MessageChannel
    private let link: PrivateLink?
    private let destination: String?
    private let delegate: ObjectPath
    /// Calls that wait for an answer; beyond this the oldest is forgotten.
    private static let maximumWaiting = 256
    private var waiting: [(call: UInt64, serial: UInt32)] = []
    private var lastCall: UInt64 = 0
    private var templates: [String: MessageTemplate] = [:]
    private var stencils: [ActionKind: PerformStencil] = [:]
    /// Told when something was sent that wants an answer.
    var onCall: (@LoopActor () -> Void)?

    init(channel: any MessageChannel, destination: String?, delegate: ObjectPath) {
        self.channel = channel
        link = channel as? PrivateLink
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
        reply: @escaping Answer
    ) -> UInt32? {
        guard let message = message(member, write) else { return nil }
        return expectAnswer(reply) { channel.call(message, timeoutMilliseconds: timeoutMilliseconds, reply: $0) }
    }

    /// Has an action performed. Returns the call's serial.
    func perform(_ wire: PerformWire, reply: @escaping Answer) -> UInt32? {
        if let link, let stencil = stencil(for: wire) {
            return expectAnswer(reply) { link.call(stencil, timeoutMilliseconds: 0, reply: $0) }
        }
        return call(
            ProviderMember.Delegate.perform, { (writer) throws(DBusError) in try wire.write(to: &writer) }, reply: reply
        )
    }

    /// Sends what wants an answer, and hands that on.
    private func expectAnswer(_ reply: @escaping Answer, _ send: @LoopActor (@escaping Answer) -> UInt32) -> UInt32 {
        lastCall += 1
        let call = lastCall
        let serial = send { [weak self] result in
            guard let self else { return reply(result) }
            waiting.removeAll { $0.call == call }
            channel.verify(result, by: destination, then: reply)
        }
        waiting.append((call, serial))
        if waiting.count > Self.maximumWaiting { channel.forget(waiting.removeFirst().serial) }
        onCall?()
        return serial
    }

    private func stencil(for wire: PerformWire) -> MessageStencil? {
        let kind = wire.action.kind
        if let stencil = stencils[kind] { return stencil.filled(with: wire) }
        guard let template = template(ProviderMember.Delegate.perform),
            let stencil = PerformStencil(for: kind, template)
        else { return nil }
        stencils[kind] = stencil
        return stencil.filled(with: wire)
    }

    func key(of serial: UInt32) -> ActionBook.Key {
        ActionBook.Key(channel: ObjectIdentifier(channel), serial: serial)
    }

    /// Whether a message came from this peer.
    func isSender(of context: CallContext) -> Bool {
        context.channel === channel && context.sender == destination
    }

    private func message(_ member: String, _ write: MessageWriting) -> Message? {
        let message = try? template(member)?.call(write)
        message?.autoStart = false
        return message
    }

    private func template(_ member: String) -> MessageTemplate? {
        if templates[member] == nil {
            templates[member] = try? MessageTemplate(to: destination, at: delegate, Contract.providerDelegate, member)
        }
        return templates[member]
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
