// SIPCall: one call between the system and the engine.

public import OpenCallKit

/// The state of a call: takes what the system asks for and what the engine tells, and returns what is to be done. It has no
/// clock and does no I/O.
public struct SIPCall: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable {
        /// It comes in, and the system has not said whether it may ring.
        case offered
        case ringing
        case answering
        case dialing
        case connected
        /// The system does not have it any more, or is told so; the engine is to end it.
        case leaving
        /// The engine has ended it.
        case gone
    }

    public enum Input: Hashable, Sendable {
        /// The system lets it ring, or refuses it with this code.
        case admitted
        case refused(UInt16)
        /// What the system asks for. The token comes back when it is done.
        case request(Request, token: UInt64)
        /// The system does not wait for it any more.
        case withdrawn(token: UInt64)
        case event(SIPCallEvent)
        /// The system has forgotten all calls.
        case forgotten
    }

    public enum Request: Hashable, Sendable {
        case start(uri: String, hidesNumber: Bool)
        case answer, end
        case hold(Bool)
        case mute(Bool)
        case digits(String)
        case transfer(uri: String)
        case transferTo(UInt64)
        case answerTransfer(CXHandle?)
    }

    public enum Output: Hashable, Sendable {
        case command(SIPCommand)
        case report(SIPReport)
        case fulfil(token: UInt64)
        case fail(token: UInt64, SIPRefusal)
    }

    public let number: UInt64
    public let isOutgoing: Bool
    private let home: SIPHome?
    public internal(set) var phase: Phase
    /// Whether the call is on hold, or will be when what is under way is done.
    public internal(set) var isHeld = false
    /// The number of its conference; 0 is none.
    public internal(set) var conference: UInt64 = 0
    /// What is under way.
    var awaited: [Awaited] = []
    var hasProgressed = false
    /// What the network has said last, whether sound comes or not.
    var stage: CXCallUpdate.Progress?
    var progress: CXCallUpdate.Progress?
    var isRemoteHeld = false
    var codec = ""
    var encryption = ""
    /// Who the far side has said that it is; nil as long as it has not.
    var caller: SIPCaller?
    /// Whom the far side wants this call to go on with.
    var transferRequest: CXHandle?

    /// A command whose end is awaited.
    struct Awaited: Hashable, Sendable {
        var token: UInt64
        var request: Request
        /// Whether the system still waits for it.
        var isAnswered = false
    }

    /// How many commands may be under way in one call.
    static let maximumAwaited = 32

    /// - Parameter home: of the account.
    public init(number: UInt64, isOutgoing: Bool, home: SIPHome? = nil) {
        (self.number, self.isOutgoing, self.home) = (number, isOutgoing, home)
        phase = isOutgoing ? .dialing : .offered
    }

    /// Whether the system has the call.
    public var isPresent: Bool { phase != .leaving && phase != .gone }

    public mutating func apply(_ input: Input) -> [Output] {
        switch input {
        case .admitted:
            guard phase == .offered else { return [] }
            phase = .ringing
            return [.command(.ring(number))]
        case .refused(let code): return phase == .offered ? leave(code) : []
        case .request(let request, let token): return perform(request, token)
        case .withdrawn(let token): return withdraw(token)
        case .event(let event): return receive(event)
        case .forgotten: return isPresent ? leave(480) : []
        }
    }

    // MARK: requests

    private mutating func perform(_ request: Request, _ token: UInt64) -> [Output] {
        guard isPresent else {
            return request == .end ? [.fulfil(token: token)] : [.fail(token: token, .noSuchCall)]
        }
        switch request {
        case .start(let uri, let hidesNumber):
            // Fulfilled at once: the audio is granted then, and what the network plays before the answer can be heard.
            return [.command(.start(number, uri: uri, hidesNumber: hidesNumber)), .fulfil(token: token)]
        case .answer:
            guard phase == .offered || phase == .ringing else {
                return [.fail(token: token, SIPRefusal(nil, "the call does not ring"))]
            }
            phase = .answering
            return send(.answer(number, token: token), for: request, token)
        case .end:
            let others = awaited.filter { !$0.isAnswered }
            return leave(isUnanswered ? 603 : 0) + [.fulfil(token: token)]
                + others.map { .fail(token: $0.token, .noSuchCall) }
        case .mute(let isMuted): return [.command(.mute(number, isMuted)), .fulfil(token: token)]
        default: return phase == .connected ? change(request, token) : [.fail(token: token, Self.notConnected)]
        }
    }

    private mutating func change(_ request: Request, _ token: UInt64) -> [Output] {
        switch request {
        case .hold(let isOn):
            if isOn == isHeld, !isAwaiting(.hold(isOn)) { return [.fulfil(token: token)] }
            isHeld = isOn
            return send(.hold(number, isOn, token: token), for: request, token)
        case .digits(let text):
            guard let digits = Self.tones(text) else {
                return [.fail(token: token, SIPRefusal(.unsupported, "the digits are no tones"))]
            }
            // The system would not wait for the end of long ones; their tones come in order in any case.
            if Self.duration(of: digits) > Self.toneTimeout {
                return [.command(.digits(number, digits, token: 0)), .fulfil(token: token)]
            }
            return send(.digits(number, digits, token: token), for: request, token)
        case .transfer(let uri): return send(.transfer(number, uri: uri, token: token), for: request, token)
        case .transferTo(let other): return send(.transferTo(number, other, token: token), for: request, token)
        case .answerTransfer(let handle): return answerTransfer(handle, token)
        case .start, .answer, .end, .mute: return []
        }
    }

    private mutating func answerTransfer(_ handle: CXHandle?, _ token: UInt64) -> [Output] {
        guard let asked = transferRequest else {
            return [.fail(token: token, SIPRefusal(nil, "the far side does not ask for a transfer"))]
        }
        guard let handle else {
            transferRequest = nil
            return [.command(.answerTransfer(number, false, token: 0)), .fulfil(token: token)]
        }
        guard handle == asked else {
            return [.fail(token: token, SIPRefusal(nil, "the far side names another party now"))]
        }
        return send(.answerTransfer(number, true, token: token), for: .answerTransfer(handle), token)
    }

    private mutating func send(_ command: SIPCommand, for request: Request, _ token: UInt64) -> [Output] {
        guard awaited.count < Self.maximumAwaited else {
            return [.fail(token: token, SIPRefusal(.busy, "the call has too much to do"))]
        }
        awaited.append(Awaited(token: token, request: request))
        return [.command(command)]
    }

    /// What was done for a request that nobody awaits any more is undone.
    private mutating func withdraw(_ token: UInt64) -> [Output] {
        guard let place = awaited.firstIndex(where: { $0.token == token }) else { return [] }
        awaited[place].isAnswered = true
        switch awaited[place].request {
        case .answer: return leave(480)
        case .hold(let isOn) where isHeld == isOn && phase == .connected:
            isHeld = !isOn
            return [.command(.hold(number, !isOn, token: 0))]
        default: return []
        }
    }

    // MARK: what several of them do

    /// Whether the far side waits for an answer.
    var isUnanswered: Bool { phase == .offered || phase == .ringing || phase == .answering }

    private func isAwaiting(_ request: Request) -> Bool { awaited.contains { $0.request == request && !$0.isAnswered } }

    /// The system does not have the call any more.
    mutating func leave(_ code: UInt16) -> [Output] {
        phase = .leaving
        awaited = []
        return [.command(.end(number, code: code))]
    }

    static let notConnected = SIPRefusal(nil, "the call is not connected")

    /// For how long the system waits for tones.
    private static let toneTimeout = Duration.milliseconds(1_500)

    /// How long it takes to send tones.
    private static func duration(of digits: String) -> Duration {
        digits.reduce(.zero) { $0 + ($1 == "," ? .seconds(2) : .milliseconds(200)) }
    }

    /// Tones as the engine takes them: a semicolon is a pause as well. Nil if anything else is in the text.
    static func tones(_ text: String) -> String? {
        let tones = text.uppercased().map { $0 == ";" ? "," : $0 }
        let isValid = (1...65).contains(tones.count) && tones.allSatisfy { "0123456789*#ABCD,".contains($0) }
        return isValid ? String(tones) : nil
    }
}

extension SIPCall {
    mutating func receive(_ event: SIPCallEvent) -> [Output] {
        if case .ended(let code, let failure, let reason) = event { return end(code, failure, reason) }
        guard isPresent else { return [] }
        switch event {
        case .incoming(let caller):
            self.caller = caller
            return [.report(.incoming(SIPCallerDetails(caller, home: home)))]
        case .progress(let code, let hasMedia): return advance(code, hasMedia)
        case .connected: return connect()
        case .media(let codec, let encryption, let isRemoteHeld): return merge(codec, encryption, isRemoteHeld)
        case .done(let token, let code, let failure): return finish(token, code, failure)
        case .transferRequested(let target): return requestTransfer(to: target)
        case .replaced(let caller): return replace(by: caller)
        case .identified(let caller): return identify(caller)
        case .quality(let quality): return phase == .connected ? [.report(.quality(quality))] : []
        case .digit(let key): return phase == .connected ? [.report(.key(key))] : []
        case .ended: return []
        }
    }

    private mutating func advance(_ code: UInt16, _ hasMedia: Bool) -> [Output] {
        guard phase == .dialing else { return [] }
        let outputs: [Output] = hasProgressed ? [] : [.report(.startedConnecting)]
        hasProgressed = true
        let said = Self.stage(code) ?? stage ?? .trying
        stage = said
        // RFC 3960, 3.2: as long as sound comes it is what is heard, and otherwise the ringing tone once the far side rings.
        let now = hasMedia ? .earlyMedia : said
        guard now != progress else { return outputs }
        progress = now
        return outputs + [.report(.progress(now))]
    }

    /// The word for a provisional response; nil for one that adds nothing to those before.
    private static func stage(_ code: UInt16) -> CXCallUpdate.Progress? {
        switch code {
        case 180: .alerting
        case 181: .forwarded
        case 182: .queued
        default: nil
        }
    }

    private mutating func connect() -> [Output] {
        switch phase {
        case .dialing:
            phase = .connected
            let outputs: [Output] = hasProgressed ? [] : [.report(.startedConnecting)]
            return outputs + [.report(.connected)]
        case .answering:
            phase = .connected
            return settle { $0 == .answer }
        default: return []
        }
    }

    private mutating func merge(_ codec: String, _ encryption: String, _ isRemoteHeld: Bool) -> [Output] {
        var outputs: [Output] = []
        if (codec, encryption) != (self.codec, self.encryption) {
            (self.codec, self.encryption) = (codec, encryption)
            outputs.append(.report(.media(codec: codec, encryption: encryption)))
        }
        if isRemoteHeld != self.isRemoteHeld {
            self.isRemoteHeld = isRemoteHeld
            outputs.append(.report(.remoteHeld(isRemoteHeld)))
        }
        return outputs
    }

    // MARK: commands that are done

    private mutating func finish(_ token: UInt64, _ code: UInt16, _ failure: SIPFailure?) -> [Output] {
        guard let place = awaited.firstIndex(where: { $0.token == token }) else { return [] }
        let done = awaited.remove(at: place)
        guard let failure else { return succeed(done) }
        let answer: [Output] = done.isAnswered ? [] : [.fail(token: token, SIPRefusal(code: code, failure: failure))]
        switch done.request {
        // The system ends a call whose answer fails.
        case .answer: return answer + leave(500)
        case .hold(let isOn):
            if isHeld == isOn, !isAwaiting(.hold(!isOn)) { isHeld = !isOn }
            return answer
        case .answerTransfer:
            transferRequest = nil
            return answer + [.report(.transferRequestWithdrawn)]
        default: return answer
        }
    }

    private mutating func succeed(_ done: Awaited) -> [Output] {
        let answer: [Output] = done.isAnswered ? [] : [.fulfil(token: done.token)]
        switch done.request {
        case .answer:
            phase = .connected
            return answer
        // For the system, a call that was transferred has ended.
        case .transfer, .transferTo: return answer + leave(0)
        case .answerTransfer(let handle):
            // Unless the engine has told who it is.
            let replaced: [Output] = transferRequest == nil ? [] : [.report(.replaced(handle, name: nil))]
            if transferRequest != nil { caller = nil }
            transferRequest = nil
            return answer + replaced
        default: return answer
        }
    }

    private mutating func settle(_ isMeant: (Request) -> Bool) -> [Output] {
        let done = awaited.filter { isMeant($0.request) && !$0.isAnswered }
        awaited.removeAll { isMeant($0.request) }
        return done.map { .fulfil(token: $0.token) }
    }

    // MARK: transfers that the far side asks for

    private mutating func requestTransfer(to text: String) -> [Output] {
        guard phase == .connected else {
            return [.command(.refuseTransfer(number, code: SIPTransferTarget.Problem.nobody.rawValue))]
        }
        do throws(SIPTransferTarget.Problem) {
            let target = try SIPTransferTarget(text, home: home)
            transferRequest = target.handle
            return [
                .command(.takeTransfer(number, uri: target.uri, replaces: target.replaces)),
                .report(.transferRequest(target.handle)),
            ]
        } catch {
            return [.command(.refuseTransfer(number, code: error.rawValue))]
        }
    }

    /// The server of the far side may transfer it by itself, and tell only who is there now (RFC 3325, 4916).
    private mutating func identify(_ caller: SIPCaller) -> [Output] {
        guard let former = self.caller else {
            self.caller = caller
            return []
        }
        return caller.isSomebodyElse(than: former, home) ? replace(by: caller) : []
    }

    private mutating func replace(by caller: SIPCaller) -> [Output] {
        self.caller = caller
        let caller = SIPCallerDetails(caller, home: home)
        let wasAsked = transferRequest != nil
        transferRequest = nil
        // A request that is being accepted is over when its action is fulfilled.
        if !wasAsked || awaited.contains(where: \.isAnswerToTransfer) {
            return [.report(.replaced(caller.handle, name: caller.name))]
        }
        return [.report(.transferRequestWithdrawn), .report(.replaced(caller.handle, name: caller.name))]
    }

    // MARK: the end

    private mutating func end(_ code: UInt16, _ failure: SIPFailure?, _ reason: String) -> [Output] {
        let wasPresent = isPresent
        let standing = SIPEnd.Standing(
            isOutgoing: isOutgoing, wasConnected: phase == .connected, hasProgressed: hasProgressed)
        let pending = awaited.filter { !$0.isAnswered }
        phase = .gone
        awaited = []
        guard wasPresent else { return [] }
        // The far side may hang up as soon as it has taken a transfer over, before it says how that went.
        let end = SIPEnd(standing, code: code, failure: failure, reason: reason)
        return [.report(.ended(end))] + pending.map { .fail(token: $0.token, .noSuchCall) }
    }
}

extension SIPCall.Awaited {
    var isAnswerToTransfer: Bool { if case .answerTransfer = request { true } else { false } }
}
