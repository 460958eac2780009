// The audio agent comes, is asked, and goes.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    func registerAudioAgent(
        _ path: ObjectPath, _ options: VariantDictionary, from context: CallContext
    ) throws(CallError) {
        let name = try options.optional("name", as: String.self) ?? ""
        let replaces = try options.optional("replace", as: Bool.self) ?? false
        noteUnknownKeys(in: options, besides: ["name", "replace"], from: context)
        try path.requireCallable(as: "audio agent")
        guard let client = context.sender, guests[ObjectIdentifier(context.channel)] == nil else {
            throw CallError(.accessDenied, "only a client of the bus can be the audio agent")
        }
        if let current = audioAgents.current, !replaces {
            throw CallError(.limitsExceeded, "client \(current.client) is the audio agent; replace=true replaces it")
        }
        let plain = String(name.displayable.prefix(64))
        let agent = audioAgents.replace(
            name: plain.isEmpty ? client : plain, client: client, path: path, channel: context.channel)
        let id = agent.id
        log.info("client \(client) is the audio agent as \(id)")
        agent.watch = bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.loseAudioAgent(id) })
        submit(.audioAgentRegistered(id))
    }

    func unregisterAudioAgent(_ path: ObjectPath, from context: CallContext) throws(CallError) {
        guard let agent = audioAgents.current, agent.client == context.sender, agent.path == path else {
            throw CallError(.invalidArguments, "the caller is not the audio agent at \(path)")
        }
        loseAudioAgent(agent.id)
    }

    func loseAudioAgent(_ id: AudioAgentID) {
        guard audioAgents.current?.id == id else { return }
        audioAgents.remove()
        submit(.audioAgentLost(id))
    }

    /// Asks the agent to prepare the audio for a provider. The deadline is the core's.
    func prepareAudio(_ id: AudioAgentID, for provider: ProviderID, _ call: CallID, isSwitching: Bool) {
        guard let agent = audioAgents[id] else { return }
        var details: VariantDictionary = ["switching": .bool(isSwitching)]
        details.set("provider", ObjectPath.provider(provider))
        if let call = machine.calls[call] {
            details.set("direction", call.direction.rawValue)
            details.set("video", call.video)
            details.set("emergency", call.emergency)
        }
        let question = agent.nextQuestion()
        do throws(DBusError) {
            let message = try Message.call(
                to: agent.client, at: agent.path, Contract.audioAgent, PrivateMember.AudioAgent.prepare,
                ObjectPath.call(call), details)
            message.autoStart = false
            agent.channel.call(message, timeoutMilliseconds: Self.patience(machine.deadlines)) {
                [weak self, weak agent, channel = agent.channel, client = agent.client] result in
                channel.verify(result, by: client) {
                    guard agent?.question == question else { return }
                    self?.prepared(id, for: provider, $0)
                }
            }
        } catch {
            log.error("the audio agent \(id) cannot be asked: \(error)")
        }
    }

    /// How long an answer is remembered to be due; the core's deadline has passed by then.
    private static func patience(_ deadlines: Deadlines) -> Int { Int(deadlines[.audioPrepare]) + 5_000 }

    private func prepared(_ id: AudioAgentID, for provider: ProviderID, _ result: Result<Message, DBusError>) {
        switch result {
        case .success: submit(.audioPrepared(id, for: provider))
        case .failure(let error) where ProviderPeer.meansGone(error): loseAudioAgent(id)
        case .failure(let error) where error.name == DBusError.Name.timeout: break
        case .failure: submit(.audioPrepared(id, for: provider, failed: true))
        }
    }

    func finishAudio(_ id: AudioAgentID) {
        guard let agent = audioAgents[id] else { return }
        do throws(DBusError) {
            let message = try Message.call(
                to: agent.client, at: agent.path, Contract.audioAgent, PrivateMember.AudioAgent.finish)
            message.autoStart = false
            message.expectsReply = false
            agent.channel.send(message)
        } catch {
            log.error("the audio agent \(id) cannot be told to finish: \(error)")
        }
    }
}
