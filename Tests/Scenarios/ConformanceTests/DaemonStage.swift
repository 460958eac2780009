// The real daemon on a bus of its own, with a process per provider and a connection per client.

import CallCore
import CallModel
import CallScenario
import CallStage
import DBus
import EventLoop
import Foundation
import LinePipes
import TestSupport

/// Makes happen from outside what a scenario wants, and collects what the daemon records and what everybody hears.
@LoopActor
final class DaemonStage {
    /// What the daemon recorded: an input and what followed, in words.
    struct Block: Sendable {
        let input: String
        let lines: [String]
    }

    let blocks = Inbox<Block>()
    private(set) var heard = StageTranscript()
    private let bus: PrivateBus
    private let folder: TemporaryFolder
    private let exits = Inbox<ExitStatus>()
    private let synced = Inbox<ProviderID>()
    private var daemon: ChildProcess?
    private var record: LinePipe?
    private var recorded: [String] = []
    private var pipes: [ProviderID: (commands: LinePipe, events: LinePipe)] = [:]
    private var clients: [String: (bus: Bus, client: ScriptedClient)] = [:]
    /// What the files call the clients, by their names on the bus.
    private var names: [String: String] = [:]
    private var screeners: [ScreenerID: ScriptedScreener] = [:]
    private var audioAgents: [AudioAgentID: ScriptedAudioAgent] = [:]
    private let observer: Bus
    private var subscription: Subscription?
    /// When the first event happened.
    private var start: (time: MonotonicTime, date: WallTime)?

    private nonisolated static let build = ProcessEnvironment.executableFolder

    init(_ providers: Set<ProviderID>, policy: Policy, deadlines: Deadlines) async throws {
        bus = try await PrivateBus()
        folder = try TemporaryFolder()
        observer = try await Bus.connect(to: bus.address)
        let rule = MatchRule(sender: Contract.busName)
        let reader = SignalReader()
        subscription = observer.subscribe(rule) { [weak self] signal in
            if let text = reader.text(of: signal) { self?.heard.signals.append(text) }
        }
        try await subscription?.ready()
        try openPipes(providers)
        try await startDaemon(policy, deadlines)
    }

    isolated deinit {
        daemon?.kill(SIGKILL)
        for (bus, _) in clients.values { bus.close() }
        for screener in screeners.values { (screener.channel as? Bus)?.close() }
        for agent in audioAgents.values { (agent.channel as? Bus)?.close() }
        observer.close()
    }

    /// The daemon's log: what must not be in it is a broken invariant.
    var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

    // MARK: who takes part

    private func openPipes(_ providers: Set<ProviderID>) throws {
        try LinePipe.make(folder.file("record"))
        record = try LinePipe(folder.file("record")) { [weak self] in self?.take(recorded: $0) }
        for id in providers {
            for end in ["in", "out"] { try LinePipe.make(folder.file("\(id).\(end)")) }
            let events = try LinePipe(folder.file("\(id).out")) { [weak self] in self?.take(event: $0, of: id) }
            pipes[id] = (try LinePipe(folder.file("\(id).in")), events)
            try FileManager.default.createDirectory(
                atPath: folder.file("plugins"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
            // Any plugin will do: the worker program does not load it.
            try FileManager.default.copyItem(
                atPath: Self.build + "/libSmallestPlugin.so", toPath: folder.file("plugins/\(id).so"))
        }
    }

    private var environment: [String: String] {
        let home = folder.path
        return [
            "HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_DATA_DIRS": home + "/system", "XDG_RUNTIME_DIR": home,
            "OPENCALLKIT_STAGE": home, "PATH": "/usr/bin:/bin",
        ]
    }

    private func startDaemon(_ policy: Policy, _ deadlines: Deadlines) async throws {
        var arguments = [
            "--no-store", "--address", bus.address, "--policy", policy.name, "--worker", Self.build + "/StageProvider",
        ]
        arguments += ["--record", folder.file("record"), "--record-identities"]
        arguments += ["--plugin-path", folder.file("plugins")]
        for kind in DeadlineKind.allCases where kind != .hello {
            arguments += ["--deadline", "\(kind.rawValue)=\(deadlines[kind])"]
        }
        try "".write(toFile: folder.file("log"), atomically: false, encoding: .utf8)
        let log = open(folder.file("log"), O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(log) }
        let isThere = Inbox<String>()
        let watch = observer.watchName(Contract.busName, appeared: { isThere.put($0) }, vanished: {})
        let exits = exits
        daemon = try ChildProcess.spawn(
            Self.build + "/callkitd", arguments, environment: environment, descriptors: [2: log]
        ) { exits.put($0) }
        _ = try await isThere.next()
        watch.cancel()
    }

    private func client(_ name: String) async throws -> ScriptedClient {
        if let existing = clients[name] { return existing.client }
        let connection = try await Bus.connect(to: bus.address)
        let client = ScriptedClient(on: connection, host: Contract.busName)
        client.onSecondReply = { [weak self] in self?.heard.signals.append("a second reply to \(name)") }
        clients[name] = (connection, client)
        names[connection.uniqueName] = name
        return client
    }

    // MARK: what happens

    /// Brings about one event, not before its time. It has happened when the daemon has recorded it.
    func play(_ event: StageEvent, _ step: ScenarioStep) async throws {
        let start = start ?? (.now, WallTime(microseconds: WallClock.microseconds))
        self.start = start
        if !step.isDue { await wait(until: start.time.advanced(by: .milliseconds(step.time / 1_000))) }
        switch event {
        case .register(let id, _, _, _), .reconfigure(let id, _), .leave(let id), .releaseAudio(let id):
            try tell(id, step.input)
        case .die(let id):
            // Not before it has heard what it was told.
            try await synchronize([id])
            try pipes[id]?.commands.send("die")
        case .report(let report, let id, let label):
            try tell(id, .reported(dated(report, start.date), by: id, reply: ReplyID(UInt64(label))))
        case .request(let request, let label): try await ask(request, label, step.input)
        case .answer(let id, let perform, .fulfilled(let date, let engine)):
            try tell(id, .actionFulfilled(ActionID(UInt64(perform)), date: real(date, start.date), engine: engine))
        case .answer(let id, let perform, .refused(let word, let reason)):
            try tell(id, .actionFailed(ActionID(UInt64(perform)), word, reason: reason))
        case .defaultProviders(let choice): try await client(":1.0").setDefaultProviders(choice)
        case .emergencyProviders(let choice): try await client(":1.0").setEmergencyProviders(choice)
        case .silence: try await client(":1.0").silence()
        case .doNotDisturb(let value): try await client(":1.0").setDoNotDisturb(value)
        case .doNotDisturbRules(let rules): try await client(":1.0").setDoNotDisturbRules(rules)
        case .registerScreener(let id): try await screener(id).register()
        case .unregisterScreener(let id): try await screener(id).unregister()
        case .screen(let id, let question, let verdict): try await screener(id).answer(question, verdict)
        case .registerAudioAgent(let id): try await audioAgent(id).register()
        case .unregisterAudioAgent(let id): try await audioAgent(id).unregister()
        case .prepareAudio(let id, let question, let failed):
            try await audioAgent(id).answer(question, failed: failed)
        case .lookUpExpected, .lookUp, .tell: throw CallError(.invalidAction, "nobody outside knows callers")
        case .shutDown: daemon?.kill(SIGTERM)
        case .wait, .impossible: break
        }
    }

    private func ask(_ request: Request, _ label: Int, _ input: Input) async throws {
        switch request.requester {
        case .provider(let id): try tell(id, .requested(request, reply: ReplyID(UInt64(label))))
        case .client(let name):
            try await client(name).request(request) { [weak self] in self?.heard.add($0, label: label) }
        }
    }

    /// What a client reads off the bus.
    func ask(_ question: Question) async throws -> [String] {
        var asker = ScriptedClient(on: observer, host: Contract.busName)
        if case .plan(let request) = question, case .client(let name) = request.requester {
            asker = try await client(name)
        }
        let answers = Inbox<[String]>()
        asker.ask(question, since: start?.date ?? 0) { answers.put($0) }
        return try await answers.next()
    }

    private func screener(_ id: ScreenerID) async throws -> ScriptedScreener {
        if let existing = screeners[id] { return existing }
        let screener = ScriptedScreener(on: try await Bus.connect(to: bus.address), host: Contract.busName) {
            [weak self] in self?.heard.add($0, for: id)
        }
        screeners[id] = screener
        return screener
    }

    private func audioAgent(_ id: AudioAgentID) async throws -> ScriptedAudioAgent {
        if let existing = audioAgents[id] { return existing }
        let agent = ScriptedAudioAgent(id, on: try await Bus.connect(to: bus.address), host: Contract.busName) {
            [weak self] in self?.heard.add($0, for: id)
        }
        audioAgents[id] = agent
        return agent
    }

    private func tell(_ id: ProviderID, _ input: Input) throws {
        try pipes[id]?.commands.send(input.description)
    }

    private func wait(until moment: MonotonicTime) async {
        guard moment > .now else { return }
        let passed = Inbox<Bool>()
        let timer = LoopTimer(at: moment) { passed.put(true) }
        _ = try? await passed.next(within: .seconds(120))
        timer.cancel()
    }

    /// Dates of the files are about the time at which their clock begins.
    private func real(_ date: WallTime, _ start: WallTime) -> WallTime {
        guard date > 1_000_000_000_000_000, date.microseconds < 1 << 62 else { return date }
        return WallTime(
            microseconds: date.microseconds &- ScenarioRunner.start.microseconds &+ start.microseconds)
    }

    private func dated(_ report: Report, _ start: WallTime) -> Report {
        switch report {
        case .ended(let call, let date, let reason, let network): .ended(call, at: real(date, start), reason, network)
        case .ongoing(let call, var ongoing, let update):
            {
                ongoing.since = real(ongoing.since, start)
                return .ongoing(call, ongoing, update)
            }()
        case .startedConnecting(let call, let date): .startedConnecting(call, at: real(date, start))
        case .connected(let call, let date): .connected(call, at: real(date, start))
        case .incoming, .updated: report
        }
    }

    // MARK: what is heard

    private func take(event line: String, of id: ProviderID) {
        if line == "synced" { return synced.put(id) }
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2 else { return }
        if words[0] == "heard" { return heard.providers[id, default: []].append(words[1]) }
        let parts = words[1].split(separator: " ", maxSplits: 1).map(String.init)
        if let label = Int(parts[0]) { heard.replies[label, default: []].append(parts.count == 2 ? parts[1] : "") }
    }

    private func take(recorded line: String) {
        if !line.isEmpty { return recorded.append(line) }
        defer { recorded = [] }
        let lines = recorded.drop { $0.hasPrefix("#") && $0.dropFirst().first == " " || $0.hasPrefix("elapse ") }
        guard let input = lines.first else { return }
        blocks.put(Block(input: plain(input), lines: Array(lines.dropFirst(2))))
    }

    /// An input without what differs from run to run: the names of connections, and the process behind them.
    private func plain(_ input: String) -> String {
        guard let start = input.firstRange(of: " request client "),
            let end = input[start.upperBound...].firstRange(of: ": "),
            let meant = names[String(input[start.upperBound..<end.lowerBound].prefix { $0 != " " })]
        else { return input }
        return input.replacingCharacters(in: start.upperBound..<end.lowerBound, with: meant)
    }

    /// Returns when everybody has heard what the daemon had said.
    func settle(_ providers: Set<ProviderID>, hasStopped: Bool) async throws {
        if hasStopped { _ = try await exits.next() }
        // A worker ends with the daemon, and says so.
        if !hasStopped { for id in providers { try pipes[id]?.commands.send("sync") } }
        for _ in providers { _ = try await synced.next() }
        let screening = screeners.values.compactMap { $0.channel as? Bus }
        let agents = audioAgents.values.compactMap { $0.channel as? Bus }
        for connection in clients.values.map(\.bus) + screening + agents + [observer] {
            for _ in 0..<2 {
                let host = hasStopped ? "org.freedesktop.DBus" : Contract.busName
                try await connection.call(to: host, at: .root, "org.freedesktop.DBus.Peer", "Ping")
            }
        }
    }

    private func synchronize(_ providers: Set<ProviderID>) async throws {
        for id in providers { try pipes[id]?.commands.send("sync") }
        for _ in providers { _ = try await synced.next() }
    }

    /// Since the first event.
    var elapsedMilliseconds: Int { MonotonicTime.now.duration(since: start?.time ?? .now).milliseconds }
}
