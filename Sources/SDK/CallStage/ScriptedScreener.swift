// A scripted screener, over a bus or any other channel.

import CallCore
package import CallModel
import CallWire
package import DBus
package import EventLoop

/// Passes on the host's questions, and answers each once, when the script says so.
@LoopActor
package final class ScriptedScreener {
    package let channel: any MessageChannel
    /// The host's name on a bus; nil on a link.
    private let host: String?
    private let onEvent: @LoopActor (ScreenerEvent) -> Void
    private var questions: [Message] = []
    /// Answers to questions that have not come yet.
    private var promises: [(number: Int, verdict: ScreeningVerdict?)] = []

    private static let path: ObjectPath = "/script/screener"

    package init(on channel: any MessageChannel, host: String?, onEvent: @escaping @LoopActor (ScreenerEvent) -> Void) {
        self.channel = channel
        self.host = host
        self.onEvent = onEvent
        channel.onCall = { [weak self] in self?.receive($0) }
    }

    package func register() {
        channel.ask(
            host, at: ObjectPath.system, Contract.callSystem, "RegisterScreener", Self.path, VariantDictionary(),
            then: note)
    }

    package func unregister() {
        channel.ask(host, at: ObjectPath.system, Contract.callSystem, "UnregisterScreener", Self.path, then: note)
    }

    /// Answers the n-th question, counted from 0, once it has come. Nil is an answer outside the contract.
    package func answer(_ number: Int, _ verdict: ScreeningVerdict?) {
        promises.append((number, verdict))
        keepPromises()
    }

    private func note(_ result: Result<Message, DBusError>) {
        if case .failure(let error) = result { onEvent(.unexpected("refused: \(error)")) }
    }

    private func receive(_ message: Message) {
        guard message.member == PrivateMember.Screener.screen else {
            channel.send(message.errorReply(.notUnderstood))
            return
        }
        do throws(DBusError) {
            let (call, _, _) = try message.read(String.self, Struct<String, String>.self, VariantDictionary.self)
            onEvent(CallID(call).map { .screen($0) } ?? .unexpected("\(call) is not a UUID"))
        } catch {
            onEvent(.unexpected("\(error)"))
        }
        questions.append(message)
        keepPromises()
    }

    private func keepPromises() {
        while let first = promises.first, first.number < questions.count {
            promises.removeFirst()
            let (word, reason) = (first.verdict?.word.rawValue ?? "perhaps", first.verdict?.reason ?? "")
            let answer: VariantDictionary = ["reason": .string(reason)]
            if let reply = try? questions[first.number].reply(word, answer) { channel.send(reply) }
        }
    }
}

extension DBusError {
    fileprivate static let notUnderstood = DBusError(DBusError.Name.unknownMethod, "a screener only screens")
}
