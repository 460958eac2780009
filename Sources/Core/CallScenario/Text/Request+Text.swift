// The text form of requests: the requester, `action; action; …`, then options.

public import CallCore
public import CallModel

extension Request {
    /// `client :1.2: answer B; set-muted B on conflict=end`; after the client may stand whose share it counts towards.
    var text: String {
        let who = "\(requester)\(owner?.text ?? "")"
        var text = "\(who): \(actions.isEmpty ? "nothing" : actions.map(\.description).joined(separator: "; "))"
        if conflict != .hold { text += " conflict=\(conflict.rawValue)" }
        if replyMode != .performed { text += " reply=\(replyMode.rawValue)" }
        if let timeout { text += " timeout=\(timeout)" }
        if let requiredState { text += " if=\(requiredState.rawValue)" }
        return text
    }

    init(line: String) throws(CallError) {
        let halves = WordReader.parts(of: line, at: ": ")
        guard halves.count == 2 else { throw CallError(.invalidArguments, "who asks is missing: \(line)") }
        let requester = try Requester(text: halves[0])
        let owner = try Owner(try Words(halves[0]))
        var actions: [CallAction] = []
        var last = try Words("")
        for part in WordReader.parts(of: halves[1], at: ";") {
            last = try Words(part)
            if let action = try CallAction(&last) { actions.append(action) }
        }
        self.init(actions, by: requester)
        self.owner = owner
        conflict = try last.word("conflict", ConflictPolicy.self) ?? .hold
        replyMode = try last.word("reply", ReplyMode.self) ?? .performed
        timeout = try last.number("timeout").map { UInt32(clamping: $0) }
        requiredState = try last.word("if", CallState.self)
    }
}

extension Requester: CustomStringConvertible {
    public var description: String {
        switch self {
        case .client(let name): "client \(name.quoted)"
        case .provider(let id): "provider \(id)"
        }
    }

    init(text: String) throws(CallError) {
        var words = try Words(text)
        switch try words.read("client or provider") {
        case "client": self = .client(try words.read("a name"))
        case "provider": self = .provider(try words.readProvider())
        case let word: throw CallError(.invalidArguments, "\(word) is neither client nor provider: \(text)")
        }
    }
}

extension CallAction: CustomStringConvertible {
    public var description: String {
        let name = "\(kind.rawValue) \(call.scenarioText)"
        switch self {
        case .start(_, let start):
            return name + " \(start.handle.description.quoted)" + (start.provider.map { " provider=\($0)" } ?? "")
                + (start.preferred.map { " preferred=\($0)" } ?? "")
                + (start.scheme.isEmpty ? "" : " scheme=\(start.scheme)")
                + (start.video ? " video=yes" : "") + (start.contact.isEmpty ? "" : " contact=\(start.contact.quoted)")
                + (start.postDial.isEmpty ? "" : " post-dial=\(start.postDial.quoted)")
                + (start.hidesNumber.map { " hide-number=\($0 ? "yes" : "no")" } ?? "")
        case .answer: return name
        case .end(_, let reason): return name + (reason.isEmpty ? "" : " reason=\(reason.quoted)")
        case .setHeld(_, let value), .setMuted(_, let value): return name + (value ? " on" : " off")
        case .setGroup(_, let other): return name + " with \(other?.scenarioText ?? "none")"
        case .playDTMF(_, let digits, let tone):
            return name + (digits.isEmpty ? " waiting" : " \(digits.quoted)")
                + (tone == .singleTone ? "" : " tone=\(tone.rawValue)")
        case .transfer(_, .handle(let handle)): return name + " \(handle.description.quoted)"
        case .transfer(_, .call(let other)): return name + " \(other.scenarioText)"
        case .answerTransfer(_, let handle): return name + " \(handle?.description.quoted ?? "none")"
        case .setTranslating(_, let value, let languages):
            return name + (value ? " on" : " off")
                + (languages == .open ? "" : " local=\(languages.local.quoted) remote=\(languages.remote.quoted)")
        }
    }

    /// Nil for an empty list of actions.
    fileprivate init?(_ words: inout Words) throws(CallError) {
        guard words.peek != nil, words.peek != "nothing" else { return nil }
        let verb = try words.read("an action")
        guard let kind = ActionKind(rawValue: verb) else {
            throw CallError(.invalidArguments, "\(verb) is not a valid action: \(words.line)")
        }
        let call = try words.readCall()
        switch kind {
        case .start:
            var start = StartRequest(try Handle(text: try words.read("a handle")))
            start.provider = words.value("provider").flatMap { ProviderID($0) }
            start.preferred = words.value("preferred").flatMap { ProviderID($0) }
            start.scheme = words.value("scheme") ?? ""
            start.video = try words.flag("video") ?? false
            start.contact = words.value("contact") ?? ""
            start.postDial = words.value("post-dial") ?? ""
            if !start.postDial.isEmpty { try CallAction.checkDigits(start.postDial) }
            start.hidesNumber = try words.flag("hide-number")
            self = .start(call, start)
        case .answer: self = .answer(call)
        case .end: self = .end(call, reason: words.value("reason") ?? "")
        case .setHeld: self = .setHeld(call, try words.read("on or off") == "on")
        case .setMuted: self = .setMuted(call, try words.read("on or off") == "on")
        case .setGroup:
            _ = try words.read("with")
            self = .setGroup(call, with: words.peek == "none" ? nil : try words.readCall())
        case .playDTMF:
            var digits = try words.read("digits")
            if digits == "waiting" { digits = "" }
            let tone = try words.word("tone", DTMFTone.self) ?? .singleTone
            try CallAction.checkDigits(digits, after: tone)
            self = .playDTMF(call, digits: digits, tone: tone)
        case .transfer: self = .transfer(call, .handle(try Handle(text: try words.read("a handle"))))
        case .transferTo: self = .transfer(call, .call(try words.readCall()))
        case .answerTransfer:
            let text = try words.read("a handle or none")
            self = .answerTransfer(call, to: text == "none" ? nil : try Handle(text: text))
        case .setTranslating:
            let value = try words.read("on or off") == "on"
            let languages = Languages(local: words.value("local") ?? "", remote: words.value("remote") ?? "")
            try CallAction.check(languages, isTranslating: value)
            self = .setTranslating(call, value, languages)
        }
    }
}
