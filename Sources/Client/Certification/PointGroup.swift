// PointGroup: points that are examined alike, and what all of them do with calls.

import CallModel
import DBus
import EventLoop

/// Some points. Each method examines one of them, and returns what was seen; it throws if the point is not passed.
@LoopActor
protocol PointGroup {
    var examination: Examination { get }
}

/// The custom actions by which plugins simulate what comes from elsewhere.
enum Button {
    /// An incoming call.
    static let incoming = "simulate-incoming"
    /// A call that was dialed or answered on a handset.
    static let ongoing = "simulate-ongoing"
    /// The far side of a call asks for a transfer.
    static let transferRequest = "simulate-transfer-request"
}

extension PointGroup {
    // MARK: making calls

    /// Returns the handle to call.
    func handle(on host: ExaminingHost) throws(Unmet) -> Handle {
        if let handle = examination.options.handle { return handle }
        return try invented("somebody", on: host)
    }

    /// Returns a handle of a kind that the provider declares: one that callkitd would give it.
    ///
    /// - Parameter name: who is called, `somebody` or another; the number of another ends with another digit.
    func invented(_ name: String, on host: ExaminingHost) throws(Unmet) -> Handle {
        let declared = host.provider?.configuration
        let types = declared?.supportedHandleTypes ?? []
        let type = [HandleType.phoneNumber, .generic].first(where: types.contains) ?? types.first ?? .generic
        let value =
            switch type {
            case .phoneNumber: name == "somebody" ? "+15550100" : "+15550101"
            case .emailAddress: "\(name)@example.org"
            case .generic: declared?.ownScheme.map { "\($0):\(name)" } ?? name
            }
        do {
            return try Handle(type: type, value: value)
        } catch {
            throw .notTried("there is no valid handle to call: \(error)")
        }
    }

    /// Sends a start.
    func putStart(on host: ExaminingHost, isProvoked: Bool = false) throws(Unmet) -> PendingAnswer {
        host.put(try freshStart(on: host), isProvoked: isProvoked)
    }

    func freshStart(on host: ExaminingHost) throws(Unmet) -> CallAction {
        .start(ExaminingHost.freshID(), StartRequest(try handle(on: host)))
    }

    func start(on host: ExaminingHost) async throws(Unmet) -> (CallID, String) {
        let action = try freshStart(on: host)
        return (action.call, try await fulfilled(action, on: host))
    }

    func connect(_ id: CallID, on host: ExaminingHost) async throws(Unmet) {
        _ = await host.wait(examination.options.connectTimeout) { [weak host] in
            host?.calls[id]?.isConnected == true || host?.calls[id]?.isEnded == true || host?.isUp != true
        }
        guard let call = host.calls[id], call.isConnected, !call.isEnded else {
            if host.calls[id]?.isEnded == true { throw .failed("the plugin reported its end instead") }
            let silence =
                "not reported connected within \(examination.options.connectTimeout.text); does the far side answer?\(handleHint(on: host))"
            throw .failed(await examination.fate(of: host, silence))
        }
    }

    /// Has an incoming call come in.
    func ring(on host: ExaminingHost) async throws(Unmet) -> CallID {
        let before = Set(host.calls.keys)
        func reported() -> CallID? {
            host.calls.first { !before.contains($0.key) && !$0.value.isOutgoing }?.key
        }
        if examination.options.callIn.isEmpty {
            let answer = try await press(Button.incoming, on: host)
            guard case .fulfilled = answer else { throw .failed(await describe(answer, Button.incoming, host)) }
        } else {
            try await examination.callIn(host) { reported() != nil }
        }
        guard let id = reported() else { throw .failed("\(Button.incoming) was answered, and no call reported") }
        return id
    }

    /// - Throws: `notApplicable` if nothing can have an incoming call come in.
    func requireIncoming(on host: ExaminingHost) throws(Unmet) {
        guard examination.options.callIn.isEmpty else { return }
        try require(button: Button.incoming, "no incoming call can be made, see --call-in", on: host)
    }

    /// What a failure of a call says about the handle that was called.
    func handleHint(on host: ExaminingHost) -> String {
        guard examination.options.handle == nil, let called = try? handle(on: host) else { return "" }
        let form = host.provider?.configuration.ownScheme.map { "\($0):VALUE" } ?? "TYPE:VALUE"
        return "; \(called.value) was called: pass --handle \(form) that answers"
    }

    /// Presses a button that simulates the far side of a call.
    func press(_ button: String, on host: ExaminingHost) async throws(Unmet) -> Answer {
        let arguments: VariantDictionary = [
            "handle": .string(try handle(on: host).description), "name": .string("Somebody"),
        ]
        return await host.put(button: button, arguments).answer()
    }

    /// Makes another active call, outgoing or incoming.
    func activeCall() async throws(Unmet) -> (ExaminingHost, CallID) {
        guard await isActiveCallPossible() else {
            throw .notTried("no call could be made active: needs connect or answer")
        }
        let host = try await examination.stage()
        return (host, try await anotherCall(on: host))
    }

    func isActiveCallPossible() async -> Bool {
        if await examination.passed(.connect) { return true }
        return await examination.passed(.answer)
    }

    func anotherCall(on host: ExaminingHost) async throws(Unmet) -> CallID {
        if await examination.passed(.connect) {
            let id = try await start(on: host).0
            try await connect(id, on: host)
            return id
        }
        let id = try await ring(on: host)
        _ = try await fulfilled(.answer(id), on: host)
        return id
    }

    // MARK: asking

    /// Requests an action that must be fulfilled.
    @discardableResult
    func fulfilled(_ action: CallAction, on host: ExaminingHost) async throws(Unmet) -> String {
        let answer = await host.ask(action)
        let text = await describe(answer, action.kind.rawValue, host)
        guard case .fulfilled = answer else { throw .failed(text) }
        return text
    }

    /// Expects that an action of a transaction is fulfilled.
    func fulfilled(_ question: PendingAnswer, on host: ExaminingHost) async throws(Unmet) {
        let answer = await question.answer()
        guard case .fulfilled = answer else { throw .failed(await describe(answer, question.subject, host)) }
    }

    /// Expects that a call is refused.
    func refused(_ question: PendingAnswer, on host: ExaminingHost) async throws(Unmet) {
        let answer = await question.answer()
        guard case .refused = answer else { throw .failed(await describe(answer, question.subject, host)) }
    }

    func describe(_ answer: Answer, _ subject: String, _ host: ExaminingHost) async -> String {
        switch answer {
        case .fulfilled(let duration):
            return "\(subject) was fulfilled \(duration < .milliseconds(1) ? "at once" : "after \(duration.text)")"
        case .refused(let error):
            let name = error.name.split(separator: ".").last ?? ""
            return "\(subject) was refused: \(name): \(error.message)"
        case .silent(let limit):
            guard host.isUp else { return "\(subject): \(await host.demise())" }
            return "\(subject) was not answered within \(limit.text)"
        case .gone: return "\(subject): \(await host.demise())"
        }
    }

    // MARK: what several points expect

    /// Returns the provider's present configuration.
    func configuration() async throws(Unmet) -> ProviderConfiguration {
        let host = try await examination.stage()
        return host.provider?.configuration ?? ProviderConfiguration()
    }

    /// - Throws: `notApplicable` with these words for a plugin without a custom action.
    func require(button: String, _ words: String, on host: ExaminingHost) throws(Unmet) {
        let buttons = host.provider?.configuration.customActions ?? []
        guard buttons.contains(where: { $0.id == button }) else {
            throw .notApplicable("\(words): no custom action \(button)")
        }
    }

    /// Makes a held and an active call.
    func heldAndActiveCall() async throws(Unmet) -> (ExaminingHost, CallID, CallID) {
        let (host, first) = try await activeCall()
        try await fulfilled(.setHeld(first, true), on: host)
        return (host, first, try await anotherCall(on: host))
    }

    /// Exchanges two calls in one transaction, as callkitd does: holds the active one and takes the held one back.
    func exchange(_ active: CallID, for held: CallID, on host: ExaminingHost) async throws(Unmet) {
        for call in [active, held] { host.calls[call]?.reportedHolds = [] }
        host.holds = []
        let (transaction, resume) = (ExaminingHost.freshID().description, CallAction.setHeld(held, false))
        try await fulfilled(host.put(.setHeld(active, true), in: transaction, .first([resume])), on: host)
        if host.calls[held]?.reportedHolds.last == false {
            // The network was faster, and its report is a fact.
            host.notifyTransactionEnded(transaction)
        } else {
            try await fulfilled(host.put(resume, in: transaction, .following(1)), on: host)
        }
    }

    /// Expects that the plugin does not have a call any more.
    func requireForgotten(_ id: CallID, on host: ExaminingHost) async throws(Unmet) {
        for action in [CallAction.setHeld(id, true), .setMuted(id, true)] {
            let question = host.put(action)
            let answer = await question.answer()
            guard case .refused = answer else {
                throw .failed("the call is still there: \(await describe(answer, question.subject, host))")
            }
        }
    }

    /// Expects that a call can be started and ended again.
    func goesOn(_ host: ExaminingHost) async throws(Unmet) {
        let id = try await start(on: host).0
        try await fulfilled(.end(id, reason: ""), on: host)
    }

    @discardableResult
    func answersPing(_ host: ExaminingHost) async throws(Unmet) -> Duration {
        let answer = await host.putPing().answer()
        guard case .fulfilled(let duration) = answer else {
            throw .failed(await describe(answer, "a ping", host))
        }
        return duration
    }
}
