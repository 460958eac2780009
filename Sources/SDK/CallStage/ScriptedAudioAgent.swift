// A scripted audio agent, over a bus or any other channel.

package import CallCore
package import CallModel
import CallWire
package import DBus
package import EventLoop

/// Passes on what the host asks, and answers each Prepare once, when the script says so.
@LoopActor
package final class ScriptedAudioAgent {
    package let channel: any MessageChannel
    private let id: AudioAgentID
    /// The host's name on a bus; nil on a link.
    private let host: String?
    private let onEvent: @LoopActor (AudioAgentEvent) -> Void
    private var questions: [Message] = []
    /// Answers to questions that have not come yet.
    private var promises: [(number: Int, failed: Bool)] = []

    private static let path: ObjectPath = "/script/audio_agent"

    package init(
        _ id: AudioAgentID, on channel: any MessageChannel, host: String?,
        onEvent: @escaping @LoopActor (AudioAgentEvent) -> Void
    ) {
        self.id = id
        self.channel = channel
        self.host = host
        self.onEvent = onEvent
        channel.onCall = { [weak self] in self?.receive($0) }
    }

    /// Becomes the agent, in place of another.
    package func register() {
        let options: VariantDictionary = ["name": .string(id.description), "replace": .bool(true)]
        channel.ask(
            host, at: ObjectPath.system, Contract.callSystem, "RegisterAudioAgent", Self.path, options, then: note)
    }

    package func unregister() {
        channel.ask(host, at: ObjectPath.system, Contract.callSystem, "UnregisterAudioAgent", Self.path, then: note)
    }

    /// Answers the n-th Prepare, counted from 0, once it has come.
    package func answer(_ number: Int, failed: Bool) {
        promises.append((number, failed))
        keepPromises()
    }

    private func note(_ result: Result<Message, DBusError>) {
        if case .failure(let error) = result { onEvent(.unexpected("refused: \(error)")) }
    }

    private func receive(_ message: Message) {
        switch message.member {
        case PrivateMember.AudioAgent.prepare:
            onEvent(Self.prepare(message))
            questions.append(message)
            keepPromises()
        case PrivateMember.AudioAgent.finish: onEvent(message.expectsReply ? .unexpected("a reply is due") : .finish)
        default: channel.send(message.errorReply(.unknown))
        }
    }

    private static func prepare(_ message: Message) -> AudioAgentEvent {
        do {
            let (call, details) = try message.read(ObjectPath.self, VariantDictionary.self)
            guard let id = Contract.call(at: call.text),
                let provider = try details.value("provider", as: ObjectPath.self).flatMap({
                    Contract.provider(at: $0.text)
                }),
                let isSwitching = try details.value("switching", as: Bool.self)
            else { return .unexpected("\(call) and \(details)") }
            return .prepare(id, provider, isSwitching: isSwitching)
        } catch {
            return .unexpected("\(error)")
        }
    }

    private func keepPromises() {
        while let first = promises.first, first.number < questions.count {
            promises.removeFirst()
            let question = questions[first.number]
            if first.failed {
                channel.send(question.errorReply(.failed))
            } else if let reply = try? question.reply() {
                channel.send(reply)
            }
        }
    }
}

/// A message of the host to an audio agent.
package enum AudioAgentEvent: Sendable, Equatable {
    case prepare(CallID, ProviderID, isSwitching: Bool)
    case finish
    /// The host refused the registration, or sent a message outside the contract.
    case unexpected(String)
}

/// The text in transcripts.
extension AudioAgentEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .prepare(let call, let provider, let isSwitching):
            "prepare \(call.scenarioText) for \(provider)\(isSwitching ? " switching" : "")"
        case .finish: "finish"
        case .unexpected(let text): "unexpected: \(text)"
        }
    }
}

extension DBusError {
    fileprivate static let unknown = DBusError(DBusError.Name.unknownMethod, "an audio agent prepares and finishes")
    fileprivate static let failed = DBusError(DBusError.Name.failed, "the script fails")
}
