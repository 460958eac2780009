// Audio: the audio agent comes, is asked, and goes; the bus is told who has the grant.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

@LoopActor
final class Audio {
    private let agents = AudioAgentBook()
    private let session = AudioSessionObject()
    private let context: HostContext
    private unowned let clients: any ClientGate

    init(_ context: HostContext, _ clients: any ClientGate) {
        self.context = context
        self.clients = clients
        context.tree.export(session, at: .audio, AudioSessionObject.interface)
    }

    /// Whether a client makes the desktop's sound give way to calls.
    var hasAgent: Bool { agents.current != nil }

    /// Tells the bus who has the grant.
    func announce(_ audio: AudioGrant) {
        let agent = audio.agent.flatMap { agents[$0] }
        if let agent { agents.forgetReplaced(before: agent.id) }
        let changed = session.update(audio, agent: agent?.name ?? "")
        context.tree.propertiesChanged(at: .audio, Contract.audioSession, changed)
    }

    func register(
        _ path: ObjectPath, _ options: VariantDictionary, from caller: CallContext
    ) throws(CallError) {
        let name = try options.optional("name", as: String.self) ?? ""
        let replaces = try options.optional("replace", as: Bool.self) ?? false
        clients.noteUnknownKeys(in: options, besides: ["name", "replace"], from: caller)
        try path.requireCallable(as: "audio agent")
        guard let client = clients.client(of: caller) else {
            throw CallError(.accessDenied, "only a client of the bus can be the audio agent")
        }
        if let current = agents.current, !replaces {
            throw CallError(.limitsExceeded, "client \(current.client) is the audio agent; replace=true replaces it")
        }
        let plain = String(name.displayable.prefix(64))
        let agent = agents.replace(
            name: plain.isEmpty ? client : plain, client: client, path: path, channel: caller.channel)
        let id = agent.id
        context.log.info("client \(client) is the audio agent as \(id)")
        agent.watch = context.bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.lose(id) })
        context.submit(.audioAgentRegistered(id))
    }

    func unregister(_ path: ObjectPath, from caller: CallContext) throws(CallError) {
        guard let agent = agents.current, agent.client == caller.sender, agent.path == path else {
            throw CallError(.invalidArguments, "the caller is not the audio agent at \(path.text.excerpt)")
        }
        lose(agent.id)
    }

    /// The bus went away, and with it the agent.
    func loseAgent() {
        if let agent = agents.current { lose(agent.id) }
    }

    private func lose(_ id: AudioAgentID) {
        guard agents.current?.id == id else { return }
        agents.remove()
        context.submit(.audioAgentLost(id))
    }

    /// Asks the agent to prepare the audio for a provider. The deadline is the core's.
    func prepare(_ id: AudioAgentID, for provider: ProviderID, _ call: CallID, isSwitching: Bool) {
        guard let agent = agents[id] else { return }
        var details: VariantDictionary = ["switching": .bool(isSwitching)]
        details.set("provider", ObjectPath.provider(provider))
        if let call = context.core.calls[call] {
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
            agent.channel.call(message, timeout: answerTimeout) {
                [weak self, weak agent, channel = agent.channel, client = agent.client] result in
                channel.verify(result, by: client) {
                    guard agent?.question == question else { return }
                    self?.prepared(id, for: provider, $0)
                }
            }
        } catch {
            context.log.error("the audio agent \(id) cannot be asked: \(error)")
        }
    }

    /// How long an answer is remembered to be due; the core's deadline has passed by then.
    private var answerTimeout: Duration { context.core.deadlines.duration(of: .audioPrepare) + .seconds(5) }

    private func prepared(_ id: AudioAgentID, for provider: ProviderID, _ result: Result<Message, DBusError>) {
        switch result {
        case .success: context.submit(.audioPrepared(id, for: provider))
        case .failure(let error) where ProviderPeer.meansGone(error): lose(id)
        case .failure(let error) where error.name == DBusError.Name.timeout: break
        case .failure: context.submit(.audioPrepared(id, for: provider, failed: true))
        }
    }

    func finish(_ id: AudioAgentID) {
        guard let agent = agents[id] else { return }
        do throws(DBusError) {
            let message = try Message.call(
                to: agent.client, at: agent.path, Contract.audioAgent, PrivateMember.AudioAgent.finish)
            message.autoStart = false
            message.expectsReply = false
            agent.channel.send(message)
        } catch {
            context.log.error("the audio agent \(id) cannot be told to finish: \(error)")
        }
    }
}

/// A client that is the audio agent, or was the one before.
@LoopActor
final class AudioAgent {
    let id: AudioAgentID
    let name: String
    let client: String
    let path: ObjectPath
    let channel: any MessageChannel
    var watch: NameWatch?
    /// The number of the latest question; an answer to an earlier one means nothing.
    private(set) var question: UInt64 = 0

    init(_ id: AudioAgentID, name: String, client: String, path: ObjectPath, channel: any MessageChannel) {
        self.id = id
        self.name = name
        self.client = client
        self.path = path
        self.channel = channel
    }

    func nextQuestion() -> UInt64 {
        question += 1
        return question
    }
}

/// The audio agent by the number under which the core knows it, and the one that it replaced.
@LoopActor
final class AudioAgentBook {
    private(set) var current: AudioAgent?
    /// Those that were replaced and may still have to be told to finish.
    private var replaced: [AudioAgentID: AudioAgent] = [:]
    private var latest: UInt64 = 0

    subscript(id: AudioAgentID) -> AudioAgent? { current?.id == id ? current : replaced[id] }

    func replace(name: String, client: String, path: ObjectPath, channel: any MessageChannel) -> AudioAgent {
        if let former = remove() { replaced[former.id] = former }
        latest += 1
        let agent = AudioAgent(AudioAgentID(latest), name: name, client: client, path: path, channel: channel)
        current = agent
        return agent
    }

    /// Removes and returns the present agent.
    @discardableResult
    func remove() -> AudioAgent? {
        defer { current = nil }
        current?.watch?.cancel()
        return current
    }

    /// Forgets those that were replaced before this one came.
    func forgetReplaced(before id: AudioAgentID) {
        replaced = replaced.filter { $0.key.number >= id.number }
    }
}

@LoopActor
final class AudioSessionObject {
    /// The grant as it was announced last.
    private var audio = AudioGrant()
    /// The name of its agent; empty if there is none.
    private var agent = ""

    static let interface = Interface<AudioSessionObject>(Contract.audioSession) {
        Property("Active") { (object: AudioSessionObject) in object.audio.isActive }
        Property("Call") { (object: AudioSessionObject) in
            object.audio.call.map(ObjectPath.call) ?? .root
        }
        Property("Provider") { (object: AudioSessionObject) in
            object.audio.holder.map(ObjectPath.provider) ?? .root
        }
        Property("Phase") { (object: AudioSessionObject) in object.audio.phase.rawValue }
        Property("Agent") { (object: AudioSessionObject) in object.agent }
    }

    /// Takes the new grant over and returns the names of the properties that change with it.
    func update(_ audio: AudioGrant, agent: String) -> [String] {
        let (old, former) = (self.audio, self.agent)
        self.audio = audio
        self.agent = agent
        return [
            ("Active", old.isActive != audio.isActive), ("Call", old.call != audio.call),
            ("Provider", old.holder != audio.holder), ("Phase", old.phase != audio.phase), ("Agent", former != agent),
        ].filter(\.1).map(\.0)
    }
}
