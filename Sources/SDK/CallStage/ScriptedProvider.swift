// A scripted provider at the far end of a link.

package import CallCore
package import CallModel
import CallWire
package import DBus
package import EventLoop

/// Passes on the host's messages, and answers when the script says so, more than once if it says so.
@LoopActor
package final class ScriptedProvider {
    package let channel: any MessageChannel
    private let onEvent: @LoopActor (ProviderEvent) -> Void
    private var path: ObjectPath = .root
    private var performs: [Message] = []
    private var releases: [Message] = []
    /// The scripted steps that cannot be done yet, such as answers to messages that have not come. Each returns whether
    /// it was done.
    private var promises: [@LoopActor () -> Bool] = []

    private static let delegate: ObjectPath = "/script"

    package init(on channel: any MessageChannel, onEvent: @escaping @LoopActor (ProviderEvent) -> Void) {
        self.channel = channel
        self.onEvent = onEvent
        channel.onCall = { [weak self] in self?.receive($0) }
    }

    /// - Parameter name: the provider's name, if the host does not know it.
    package func register(_ configuration: ProviderConfiguration, as name: String? = nil) {
        var configuration = configuration
        if let name { configuration.localizedName = name }
        channel.ask(
            nil, at: ObjectPath.system, Contract.callSystem, ProviderMember.System.registerProvider, Self.delegate,
            configuration.wire
        ) { [weak self] result in
            switch result.flatMap(Self.path(in:)) {
            case .success(let path): self?.begin(at: path)
            case .failure(let error): self?.onEvent(.unexpected("not registered: \(error)"))
            }
        }
    }

    private func begin(at path: ObjectPath) {
        self.path = path
        keepPromises()
    }

    private static func path(in message: Message) -> Result<ObjectPath, DBusError> {
        Result { () throws(DBusError) in try message.read(ObjectPath.self) }
    }

    package func reconfigure(_ configuration: ProviderConfiguration) {
        tell(ProviderMember.Host.updateConfiguration, configuration.wire) { _ in }
    }

    package func leave() { tell(ProviderMember.Host.invalidate) { _ in } }

    /// Makes a report and passes on the outcome.
    package func report(_ report: Report, then: @escaping @LoopActor (RequestOutcome) -> Void) {
        typealias Member = ProviderMember.Host
        let call = report.call.description
        let outcome: @LoopActor (Result<Message, DBusError>) -> Void = { RequestOutcome($0).map(then) }
        switch report {
        case .incoming(_, let update): tell(Member.reportNewIncomingCall, call, update.wire, then: outcome)
        case .ongoing(_, let ongoing, let update):
            tell(
                Member.reportOngoingCall, call, ongoing.direction.rawValue, ongoing.state.rawValue, ongoing.since,
                update.wire, then: outcome)
        case .updated(_, let update): tell(Member.reportCallUpdated, call, update.wire, then: outcome)
        case .ended(_, let date, let reason, let network):
            tell(Member.reportCallEnded, call, date, reason.rawValue, network.wire, then: outcome)
        case .startedConnecting(_, let date):
            tell(Member.reportOutgoingCallStartedConnecting, call, date, VariantDictionary(), then: outcome)
        case .connected(_, let date):
            tell(Member.reportOutgoingCallConnected, call, date, VariantDictionary(), then: outcome)
        }
    }

    private func tell<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument,
        then: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        promise { [unowned self] in
            guard path != .root else { return false }
            channel.ask(nil, at: path, Contract.providerHost, member, repeat each arguments, then: then)
            return true
        }
    }

    /// Answers its n-th Perform, counted from 0, once it has come.
    package func answer(perform number: Int, _ answer: StageEvent.Answer) {
        promise { [unowned self] in
            guard number < performs.count else { return false }
            let message = performs[number]
            switch answer {
            case .fulfilled(let date, let engine):
                let result = PerformResult(date: date == 0 ? nil : date, engine: engine)
                if let reply = try? message.reply(result.wire) { channel.send(reply) }
            case .refused(let word, let reason):
                let name = word?.busName ?? ErrorCode.actionFailed.busName
                channel.send(message.errorReply(DBusError(name, reason)))
            }
            return true
        }
    }

    package func releaseAudio() {
        promise { [unowned self] in
            guard !releases.isEmpty else { return false }
            if let reply = try? releases.removeFirst().reply() { channel.send(reply) }
            return true
        }
    }

    /// Calls `then` when the host has answered a ping, or is gone.
    package func ping(then: @escaping @LoopActor () -> Void) {
        channel.ask(nil, at: .root, StandardInterface.peer, "Ping") { _ in then() }
    }

    private func promise(_ attempt: @escaping @LoopActor () -> Bool) {
        promises.append(attempt)
        keepPromises()
    }

    private func keepPromises() {
        while let first = promises.first, first() { promises.removeFirst() }
    }

    private func receive(_ message: Message) {
        switch message.member {
        case ProviderMember.Delegate.perform: receivePerform(message)
        case ProviderMember.Delegate.timedOut: onEvent(.timedOut)
        case ProviderMember.Delegate.transactionEnded:
            let arguments = try? message.read(String.self, VariantDictionary.self)
            onEvent(.transactionEnded(failed: arguments?.1["failed", default: false] ?? false))
        case ProviderMember.Delegate.reset: onEvent(.reset)
        case ProviderMember.Delegate.audioSessionActivated:
            let details = try? message.read(VariantDictionary.self)
            let call = (try? details?.value("call-uuid", as: String.self)).flatMap { CallID($0) }
            onEvent(call.map { .audioActivated($0) } ?? .unexpected("the audio, without a call"))
        case ProviderMember.Delegate.audioSessionDeactivated:
            releases.append(message)
            onEvent(.audioDeactivated)
        case ProviderMember.Delegate.begin: break
        default: if message.expectsReply, let reply = try? message.reply() { channel.send(reply) }
        }
        keepPromises()
    }

    private func receivePerform(_ message: Message) {
        performs.append(message)
        do {
            let wire = try PerformWire(message)
            onEvent(.performed(wire.action, wire.part))
        } catch {
            onEvent(.unexpected("\(error)"))
        }
    }
}
