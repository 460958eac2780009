// Stage: the real host in this process, without a bus or other processes, with a scripted clock.

package import CallCore
package import CallHost
package import CallModel
package import CallScenario
import DBus
package import EventLoop
import Logging

/// Plays scenarios in a `CallSystemHost` whose clock, providers and clients are scripted. The host gets and sends
/// messages only.
@LoopActor
package final class Stage {
    package let clock: VirtualClock
    package let host: CallSystemHost
    /// The inputs of the host and their effects, as text.
    package private(set) var transcript: [(input: String, lines: [String])] = []
    /// What providers, clients, screeners and audio agents got.
    package private(set) var heard = StageTranscript()

    private let exchange = MemoryExchange()
    private let start: Instant
    private var providers: [ProviderID: (provider: ScriptedProvider, client: ScriptedClient, near: MemoryLink)] = [:]
    private var clients: [String: ScriptedClient] = [:]
    /// The host's ends of the links, which nothing else keeps.
    private var ends: [MemoryLink] = []
    private let observer: MemoryLink
    private var screeners: [ScreenerID: ScriptedScreener] = [:]
    private var audioAgents: [AudioAgentID: ScriptedAudioAgent] = [:]
    private let lookUp = ScriptedLookUp()

    /// - Parameter folder: the host's folder for files such as icons.
    package init(
        deadlines: Deadlines = Deadlines(), limits: Limits = Limits(), policy: Policy = .desktop, folder: String,
        start: Instant
    ) {
        clock = VirtualClock(at: start)
        self.start = start
        var configuration = HostConfiguration(
            workerPath: "/nonexistent", executableFolder: "/nonexistent", environment: ["XDG_RUNTIME_DIR": folder])
        configuration.deadlines = deadlines
        configuration.policy = policy
        configuration.limits = limits
        let log = Logger(label: "stage") { _ in SwiftLogNoOpLogHandler() }
        host = CallSystemHost(configuration: configuration, log: log, clock: clock)
        let (near, far) = exchange.link()
        ends.append(near)
        observer = far
        host.serve(on: near, announcing: true)
        host.onStep = { [weak self] step in
            self?.transcript.append((step.input.description, step.effects.lines(at: step.moment)))
        }
        let reader = SignalReader()
        far.onSignal = { [weak self] signal in
            if let text = reader.text(of: signal) { self?.heard.signals.append(text) }
        }
    }

    /// Plays one event at its time. An input that no event outside leads to is passed to the host itself.
    package func play(_ event: StageEvent, _ step: ScenarioStep) {
        clock.move(to: start.uptime + step.time)
        switch event {
        case .register(let id, let configuration, let isPackaged, let owner):
            let provider = provider(id)
            host.set(isPackaged: isPackaged, owner: owner, guest: provider.near)
            provider.provider.register(configuration)
        case .reconfigure(let id, let configuration): provider(id).provider.reconfigure(configuration)
        case .die(let id):
            if let dying = providers.removeValue(forKey: id) { (dying.provider.channel as? MemoryLink)?.close() }
        case .leave(let id): provider(id).provider.leave()
        case .report(let report, let id, let label):
            provider(id).provider.report(report) { [weak self] in self?.heard.add($0, label: label) }
        case .request(let request, let label):
            client(request.requester).request(request) { [weak self] in self?.heard.add($0, label: label) }
        case .answer(let id, let perform, let answer): provider(id).provider.answer(perform: perform, answer)
        case .releaseAudio(let id): provider(id).provider.releaseAudio()
        case .silence: client(.client(":1.0")).silence()
        case .doNotDisturb(let value): client(.client(":1.0")).setDoNotDisturb(value)
        case .doNotDisturbRules(let rules): client(.client(":1.0")).setDoNotDisturbRules(rules)
        case .registerScreener(let id): screener(id).register()
        case .unregisterScreener(let id): screener(id).unregister()
        case .screen(let id, let question, let verdict): screener(id).answer(question, verdict)
        case .registerAudioAgent(let id): audioAgent(id).register()
        case .unregisterAudioAgent(let id): audioAgent(id).unregister()
        case .prepareAudio(let id, let question, let failed): audioAgent(id).answer(question, failed: failed)
        case .defaultProviders(let choice): client(.client(":1.0")).setDefaultProviders(choice)
        case .emergencyProviders(let choice): client(.client(":1.0")).setEmergencyProviders(choice)
        case .lookUpExpected: host.submitUnasked(.lookUpExpected)
        case .lookUp(let value): host.callerLookUp = value ? lookUp : nil
        case .tell(let call, let caller): lookUp.answer(call, caller)
        case .shutDown: host.shutDown()
        case .wait: if !clock.fireNext() { heard.signals.append("no timer is due") }
        case .impossible: host.submitUnasked(step.input)
        }
        exchange.deliver()
    }

    /// Returns what a client reads from the host.
    package func ask(_ question: Question) -> [String] {
        var asker = Requester.client(":1.0")
        if case .plan(let request) = question { asker = request.requester }
        var answer = ["no answer"]
        client(asker).ask(question, since: start.date) { answer = $0 }
        exchange.deliver()
        return answer
    }

    private func provider(_ id: ProviderID) -> (provider: ScriptedProvider, client: ScriptedClient, near: MemoryLink) {
        if let existing = providers[id] { return existing }
        let (near, far) = exchange.link()
        ends.append(near)
        host.serve(on: near, guest: id.rawValue)
        near.onClosed = { [weak host, weak near] _ in
            if let near { host?.guestLeft(near) }
        }
        let new = (
            ScriptedProvider(on: far) { [weak self] in self?.heard.add($0, for: id) },
            ScriptedClient(on: far, host: nil), near
        )
        providers[id] = new
        return new
    }

    private func screener(_ id: ScreenerID) -> ScriptedScreener {
        if let existing = screeners[id] { return existing }
        let (near, far) = exchange.link(far: ":2.\(id.number)")
        ends.append(near)
        host.serve(on: near)
        let new = ScriptedScreener(on: far, host: nil) { [weak self] in self?.heard.add($0, for: id) }
        screeners[id] = new
        return new
    }

    private func audioAgent(_ id: AudioAgentID) -> ScriptedAudioAgent {
        if let existing = audioAgents[id] { return existing }
        let (near, far) = exchange.link(far: ":3.\(id.number)")
        ends.append(near)
        host.serve(on: near)
        let new = ScriptedAudioAgent(id, on: far, host: nil) { [weak self] in self?.heard.add($0, for: id) }
        audioAgents[id] = new
        return new
    }

    private func client(_ requester: Requester) -> ScriptedClient {
        switch requester {
        case .provider(let id): return provider(id).client
        case .client(let name):
            if let existing = clients[name] { return existing }
            let (near, far) = exchange.link(far: name)
            ends.append(near)
            host.serve(on: near)
            let new = ScriptedClient(on: far, host: nil)
            new.onSecondReply = { [weak self] in self?.heard.signals.append("a second reply to \(name)") }
            clients[name] = new
            return new
        }
    }
}
