// Inputs at random: every kind, with every field, and text that is hard to write on one line.

package import CallCore
package import CallModel

extension SeededGenerator {
    mutating func text() -> String {
        let pieces = [
            "a", "Ann", " ", "=", "\"", "\\", ";", ": ", "#", "\n", "\r\n", "\t", "é", "e\u{301}", "🎈", "on", "none",
            ",",
            "conflict=end", "->",
        ]
        return (0..<number(0...6)).map { _ in pick(pieces, or: "") }.joined()
    }

    mutating func call() -> CallID {
        oneIn(8) ? CallID.random(using: &self) : CallID(high: 0, low: UInt64(number(0...2_599)))
    }

    mutating func provider() -> ProviderID {
        let names = ["Hotline", "Monkey", "ring", "a1", "_", "yes", "7"].compactMap { ProviderID($0) }
        return ProviderID(pick(names.map(\.rawValue), or: "P")) ?? names[0]
    }

    mutating func handle() -> Handle {
        let text = text().unicodeScalars.filter { !$0.isUnsafeInText }
        let value = String(String.UnicodeScalarView(text))
        let handle = try? Handle(type: pick(HandleType.allCases, or: .generic), value: value)
        return handle ?? Self.plainHandle
    }

    package static let plainHandle: Handle = {
        guard let handle = try? Handle(type: .generic, value: "bob") else { fatalError("bob is a handle") }
        return handle
    }()

    mutating func date() -> WallTime {
        oneIn(3) ? 0 : WallTime(microseconds: UInt64.random(in: 1...UInt64.max, using: &self))
    }

    /// A word of a network, as it is after the wire has taken out what cannot be shown.
    private mutating func word() -> String { pick(["srtp-dtls", "opus/48000", "a; b=\"c\"", "é", ""], or: "") }

    package mutating func update() -> CallUpdate {
        var update = CallUpdate()
        if oneIn(3) { update.remoteHandle = handle() }
        if oneIn(3) { update.localizedCallerName = text() }
        if oneIn(4) { update.networkName = text() }
        if oneIn(6) { update.divertedBy = handle() }
        if oneIn(6) { update.transferRequest = flag() ? .to(handle()) : .withdrawn }
        if oneIn(6) { update.verification = pick(CallerVerification.allCases, or: .none) }
        if oneIn(6) { update.image = pick(["/tmp/ann.png", "é=\"1\"", ""], or: "") }
        if oneIn(6) { update.progress = pick(CallProgress.allCases, or: .trying) }
        if oneIn(6) { update.encryption = word() }
        if oneIn(6) { update.codec = word() }
        if oneIn(6) { update.quality = CallQuality(roundTrip: 30, loss: oneIn(2) ? 12 : nil) }
        update.supportsHolding = optionalFlag()
        update.canHoldNow = optionalFlag()
        update.supportsGrouping = optionalFlag()
        update.supportsUngrouping = optionalFlag()
        update.supportsDTMF = optionalFlag()
        update.hasVideo = optionalFlag()
        update.remoteHeld = optionalFlag()
        update.onHold = optionalFlag()
        update.emergency = optionalFlag()
        return update
    }

    mutating func configuration() -> ProviderConfiguration {
        var configuration = ProviderConfiguration()
        configuration.localizedName = text()
        configuration.supportedHandleTypes = HandleType.allCases.filter { _ in flag() }
        configuration.supportsVideo = flag()
        configuration.supportsAudioTranslation = flag()
        configuration.maximumCallGroups = UInt32(number(0...9))
        configuration.maximumCallsPerCallGroup = UInt32(number(0...9))
        configuration.includesCallsInRecents = flag()
        configuration.ringtoneSound = text()
        configuration.iconTemplateImage = (0..<number(0...3)).map { _ in UInt8(number(0...255)) }
        configuration.customActions = (0..<number(0...2)).map { _ in
            CustomAction(id: text(), label: text(), icon: text(), isForCalls: flag())
        }
        configuration.supportedSchemes = flag() ? ["sip"] : []
        configuration.key = flag() ? "1" : ""
        configuration.availability = pick(Availability.allCases, or: .online)
        configuration.status = text()
        configuration.holdModel = pick(HoldModel.allCases, or: .swap)
        configuration.desktopEntry = flag() ? "org.example.Phone" : ""
        configuration.supportsTransfer = flag()
        configuration.emergencyNumbers = (0..<number(0...2)).map { _ in text() }
        return configuration
    }

    mutating func action() -> CallAction {
        let call = call()
        switch pick(ActionKind.allCases, or: .end) {
        case .start:
            let handle = handle()
            let provider = flag() ? provider() : nil
            let digits = flag() ? ",12" : ""
            var start = StartRequest(handle, provider: provider, video: flag(), contact: text(), postDial: digits)
            start.preferred = oneIn(4) ? self.provider() : nil
            start.scheme = oneIn(4) ? "sip" : ""
            return .start(call, start)
        case .answer: return .answer(call)
        case .end: return .end(call, reason: text())
        case .setHeld: return .setHeld(call, flag())
        case .setMuted: return .setMuted(call, flag())
        case .setGroup: return .setGroup(call, with: flag() ? self.call() : nil)
        case .playDTMF:
            let digits = (0..<number(1...8)).map { _ in pick(Array("0123456789ABCDabcd*#,;"), or: "0") }
            return .playDTMF(call, digits: String(digits), tone: pick(DTMFTone.allCases, or: .singleTone))
        case .transfer: return .transfer(call, .handle(handle()))
        case .transferTo: return .transfer(call, .call(self.call()))
        case .answerTransfer: return .answerTransfer(call, to: flag() ? handle() : nil)
        case .setTranslating:
            let isTranslating = flag()
            return .setTranslating(
                call, isTranslating, isTranslating || flag() ? Languages(local: tag(), remote: tag()) : .open)
        }
    }

    private mutating func tag() -> String { pick(["en-GB", "sv", "zh_Hant-TW", "0", "on"], or: "en") }

    mutating func request() -> Request {
        var request = Request(
            (0..<number(0...3)).map { _ in action() },
            by: flag() ? .provider(provider()) : .client(flag() ? ":1.\(number(1...9))" : text()))
        request.conflict = pick(ConflictPolicy.allCases, or: .hold)
        request.replyMode = pick(ReplyMode.allCases, or: .performed)
        if case .client = request.requester { request.owner = owner() }
        if flag() { request.timeout = UInt32(number(0...9_999)) }
        return request
    }

    mutating func report() -> Report {
        let call = call()
        return switch number(0...5) {
        case 0: .incoming(call, update())
        case 1: .updated(call, update())
        case 2: .ended(call, at: date(), pick(EndReason.allCases, or: .failed), networkEnd())
        case 5:
            .ongoing(
                call,
                OngoingCall(
                    pick(CallDirection.allCases, or: .incoming), pick(OngoingCall.State.allCases, or: .active),
                    since: date()), update())
        case 3: .startedConnecting(call, at: date())
        default: .connected(call, at: date())
        }
    }

    private mutating func networkEnd() -> NetworkEnd {
        NetworkEnd(flag() ? pick(EndDetail.allCases, or: .busy) : nil, code: flag() ? text() : "")
    }

    mutating func timer() -> TimerID {
        switch number(0...5) {
        case 5: .audioPrepare(provider())
        case 0: .action(ActionID(UInt64(number(1...99))))
        case 1: .ring(call())
        case 2: .connect(call())
        case 3: .linger(call())
        default: .audioRelease(provider())
        }
    }

    package mutating func caller() -> CallerFacts {
        var caller = CallerFacts()
        if oneIn(5) { caller.blockedBy = flag() ? "user" : text() }
        caller.isAllowed = oneIn(6)
        caller.isFavorite = oneIn(3)
        if oneIn(3) {
            caller.name = text()
            caller.nameSource = pick([.contacts, .favorite, .directory], or: .contacts)
            if flag() { caller.contact = text() }
        }
        if oneIn(4) { caller.normalized = handle() }
        if oneIn(8) { caller = .unanswered }
        return caller
    }

    package mutating func verdict() -> ScreeningVerdict? {
        guard !oneIn(8) else { return nil }
        let reason = oneIn(3) ? pick(FilterReason.allCases, or: .blocked).rawValue : oneIn(3) ? text() : ""
        return ScreeningVerdict(pick(ScreeningVerdict.Word.allCases, or: .allow), reason: reason)
    }

    mutating func rules() -> DoNotDisturbRules {
        var rules = DoNotDisturbRules()
        rules.allowsFavorites = flag()
        rules.allowsRepeated = flag()
        if oneIn(4) { rules.allowedProviders = [provider()] }
        return rules
    }

    /// What is about calls before they ring.
    package mutating func inputBeforeRinging() -> Input {
        let screener = ScreenerID(UInt64(number(1...4)))
        return switch number(0...8) {
        case 8: .lookUpExpected
        case 0: .lookUpAvailable(flag())
        case 1: .lookedUp(call(), caller())
        case 2: .screenerRegistered(screener)
        case 3: .screenerLost(screener)
        case 4: .screened(call(), by: screener, verdict())
        case 5: .timerFired(flag() ? .lookUp(call()) : .screen(call()))
        default: .doNotDisturbRulesSet(rules())
        }
    }

    private mutating func owner() -> Owner? {
        if oneIn(3) { return nil }
        return pick(
            [.client(":1.7"), .app("org.example.A"), .app(""), .process(4711, since: 88_120), .plugin(text())],
            or: .app(""))
    }

    private mutating func audioAgentInput() -> Input {
        let agent = AudioAgentID(UInt64(number(1...3)))
        return switch number(0...2) {
        case 0: .audioAgentRegistered(agent)
        case 1: .audioAgentLost(agent)
        default: .audioPrepared(agent, for: provider(), failed: flag())
        }
    }

    package mutating func input() -> Input {
        let reply = ReplyID(UInt64(number(0...999)))
        let action = ActionID(UInt64(number(1...999)))
        return switch number(0...14) {
        case 14: audioAgentInput()
        case 13:
            flag()
                ? .defaultProvidersSet(["sip": provider(), "tel": provider()])
                : .emergencyProvidersSet(flag() ? [] : [provider(), provider()])
        case 0: .providerRegistered(provider(), configuration(), isPackaged: flag(), owner: owner())
        case 1: .providerReconfigured(provider(), configuration())
        case 2: .providerLost(provider())
        case 3: flag() ? .providerRemoved(provider()) : .providerRestarted(provider())
        case 4, 5: .reported(report(), by: provider(), reply: reply)
        case 6, 7: .requested(request(), reply: reply)
        case 8:
            .actionFulfilled(
                action, date: date(), engine: pick(TranslationEngine.allCases, or: .default))
        case 9:
            .actionFailed(
                action, flag() ? nil : pick(RefusalWord.allCases, or: .busy), reason: flag() ? "" : text())
        case 10: .audioReleased(provider())
        case 11: .timerFired(timer())
        default: oneIn(3) ? .shutdownRequested : oneIn(2) ? .ringingSilenced : .doNotDisturbSet(flag())
        }
    }
}
