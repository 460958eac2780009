// The stable text form of inputs: one line each, read and written. The daemon's log and the scenario files share it.

public import CallCore
public import CallModel

extension Input: CustomStringConvertible {
    public var description: String {
        switch self {
        case .providerRegistered(let id, let configuration, let isPackaged, let owner):
            "register \(id)\(configuration.text)\(isPackaged ? "" : " packaged=no")\(owner.map { $0.text(of: id) } ?? "")"
        case .defaultProvidersSet(let choice):
            "default-providers" + choice.sorted { $0.key < $1.key }.map { " \($0.key):\($0.value)" }.joined()
        case .providersKnown(let order): "known-providers" + order.map { " \($0)" }.joined()
        case .emergencyProvidersSet(let choice):
            "emergency-providers" + choice.map(\.rawValue).sorted().map { " \($0)" }.joined()
        case .providerReconfigured(let id, let configuration): "reconfigure \(id)\(configuration.text)"
        case .providerLost(let id): "lose \(id)"
        case .providerRestarted(let id): "restart \(id)"
        case .providerRemoved(let id): "remove \(id)"
        case .reported(let report, let provider, let reply): "#\(reply.number) \(report.text(by: provider))"
        case .requested(let request, let reply): "#\(reply.number) request \(request.text)"
        case .actionFulfilled(let action, let date, let engine):
            "fulfil a\(action.number)" + (date == 0 ? "" : " at=\(date)")
                + (engine == .default ? "" : " engine=\(engine.rawValue)")
        case .actionFailed(let action, let word, let reason):
            "fail a\(action.number)" + (word.map { " word=\($0.rawValue)" } ?? "")
                + (reason.isEmpty ? "" : " reason=\(reason.quoted)")
        case .audioReleased(let provider): "audio-released \(provider)"
        case .timerFired(let timer): "timer \(timer)"
        case .ringingSilenced: "silence"
        case .doNotDisturbSet(let value): "do-not-disturb \(value.word)"
        case .doNotDisturbRulesSet(let rules): "do-not-disturb-rules\(rules.text)"
        case .lookUpExpected: "look-up-expected"
        case .lookUpAvailable(let value): "look-up-available \(value.word)"
        case .lookedUp(let call, let caller): "looked-up \(call.scenarioText)\(caller.text)"
        case .screenerRegistered(let id): "screener \(id)"
        case .screenerLost(let id): "lose-screener \(id)"
        case .screened(let call, let id, let verdict):
            "screened \(call.scenarioText) \(id) \(verdict?.text ?? "nonsense")"
        case .audioAgentRegistered(let id): "audio-agent \(id)"
        case .audioAgentLost(let id): "lose-audio-agent \(id)"
        case .audioPrepared(let id, let provider, let failed):
            "audio-prepared \(id) \(provider)\(failed ? " failed" : "")"
        case .shutdownRequested: "shut-down"
        }
    }

    /// Reads one line. A report or request without `#number` gets `reply`.
    /// - Throws: `InvalidArguments` naming what is missing or invalid.
    public init(line: String, reply: ReplyID = ReplyID(0)) throws(CallError) {
        var reply = reply
        var rest = line
        if line.hasPrefix("#"), let space = line.firstIndex(of: " ") {
            guard let number = UInt64(line[line.index(after: line.startIndex)..<space]) else {
                throw CallError(.invalidArguments, "no number after #: \(line)")
            }
            reply = ReplyID(number)
            rest = String(line[line.index(after: space)...])
        }
        if rest.hasPrefix("request ") {
            self = .requested(try Request(line: String(rest.dropFirst(8))), reply: reply)
            return
        }
        var words = try Words(rest)
        switch try words.read("a verb") {
        case "register":
            self = .providerRegistered(
                try words.readProvider(), try ProviderConfiguration(words),
                isPackaged: try words.flag("packaged") ?? true, owner: try Owner(words))
        case "known-providers":
            var order: [ProviderID] = []
            while words.peek != nil { order.append(try words.readProvider()) }
            self = .providersKnown(order)
        case "default-providers": self = .defaultProvidersSet(try words.readDefaultProviders())
        case "emergency-providers":
            var choice: Set<ProviderID> = []
            while words.peek != nil { choice.insert(try words.readProvider()) }
            self = .emergencyProvidersSet(choice)
        case "reconfigure":
            self = .providerReconfigured(try words.readProvider(), try ProviderConfiguration(words))
        case "lose": self = .providerLost(try words.readProvider())
        case "restart": self = .providerRestarted(try words.readProvider())
        case "remove": self = .providerRemoved(try words.readProvider())
        case "fulfil":
            self = .actionFulfilled(
                try words.readAction(), date: try words.date("at") ?? 0,
                engine: try words.word("engine", TranslationEngine.self) ?? .default)
        case "fail":
            self = .actionFailed(
                try words.readAction(), try words.word("word", RefusalWord.self), reason: words.value("reason") ?? "")
        case "audio-released": self = .audioReleased(try words.readProvider())
        case "timer": self = .timerFired(try TimerID(text: try words.read("a timer")))
        case "silence": self = .ringingSilenced
        case "do-not-disturb": self = .doNotDisturbSet(try words.read("yes or no") == "yes")
        case "do-not-disturb-rules": self = .doNotDisturbRulesSet(try DoNotDisturbRules(words))
        case "look-up-expected": self = .lookUpExpected
        case "look-up-available": self = .lookUpAvailable(try words.read("yes or no") == "yes")
        case "looked-up": self = .lookedUp(try words.readCall(), try CallerFacts(words))
        case "screener": self = .screenerRegistered(try words.readScreener())
        case "lose-screener": self = .screenerLost(try words.readScreener())
        case "screened":
            self = .screened(try words.readCall(), by: try words.readScreener(), try ScreeningVerdict(&words))
        case "audio-agent": self = .audioAgentRegistered(try words.readAudioAgent())
        case "lose-audio-agent": self = .audioAgentLost(try words.readAudioAgent())
        case "audio-prepared":
            self = .audioPrepared(
                try words.readAudioAgent(), for: try words.readProvider(), failed: words.peek == "failed")
        case "shut-down": self = .shutdownRequested
        case let verb:
            let provider = try words.readProvider()
            self = .reported(try Report(verb, &words), by: provider, reply: reply)
        }
    }
}

extension Words {
    /// Pairs such as `sip:Phone`.
    fileprivate mutating func readDefaultProviders() throws(CallError) -> [String: ProviderID] {
        var choice: [String: ProviderID] = [:]
        while peek != nil {
            let pair = try read("a pair").split(separator: ":", maxSplits: 1).map(String.init)
            guard pair.count == 2, let id = ProviderID(pair[1]) else {
                throw CallError(.invalidArguments, "a default provider is SCHEME:PROVIDER: \(line)")
            }
            choice[pair[0]] = id
        }
        return choice
    }

    mutating func readAction() throws(CallError) -> ActionID {
        let text = try read("an action")
        guard text.hasPrefix("a"), let number = UInt64(text.dropFirst()) else {
            throw CallError(.invalidArguments, "\(text) is not a valid action: \(line)")
        }
        return ActionID(number)
    }
}

extension TimerID: CustomStringConvertible {
    public var description: String {
        switch self {
        case .action(let action): "action/a\(action.number)"
        case .ring(let call): "ring/\(call.scenarioText)"
        case .connect(let call): "connect/\(call.scenarioText)"
        case .linger(let call): "linger/\(call.scenarioText)"
        case .audioRelease(let provider): "audio-release/\(provider)"
        case .audioPrepare(let provider): "audio-prepare/\(provider)"
        case .lookUp(let call): "look-up/\(call.scenarioText)"
        case .screen(let call): "screen/\(call.scenarioText)"
        }
    }

    public init(text: String) throws(CallError) {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw CallError(.invalidArguments, "\(text) is not a valid timer") }
        let call = CallID(scenarioText: parts[1])
        switch (parts[0], call, ProviderID(parts[1])) {
        case ("ring", let call?, _): self = .ring(call)
        case ("connect", let call?, _): self = .connect(call)
        case ("linger", let call?, _): self = .linger(call)
        case ("look-up", let call?, _): self = .lookUp(call)
        case ("screen", let call?, _): self = .screen(call)
        case ("audio-release", _, let provider?): self = .audioRelease(provider)
        case ("audio-prepare", _, let provider?): self = .audioPrepare(provider)
        case ("action", _, _):
            guard let number = UInt64(parts[1].dropFirst()) else {
                throw CallError(.invalidArguments, "\(text) is not a valid timer")
            }
            self = .action(ActionID(number))
        default: throw CallError(.invalidArguments, "\(text) is not a valid timer")
        }
    }
}
