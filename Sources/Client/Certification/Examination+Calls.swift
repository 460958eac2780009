// How calls are made for the points that need them, and the points about starting and ending calls.

import CallModel
import DBus
import EventLoop

extension Examination {
    /// The custom action by which sample plugins simulate an incoming call.
    static let incomingButton = "simulate-incoming"

    // MARK: making calls

    /// Returns the handle to call.
    func handle(on host: ExaminingHost) throws(Unmet) -> Handle {
        if let handle = options.handle { return handle }
        let types = host.provider?.configuration.supportedHandleTypes ?? []
        let declared = [HandleType.phoneNumber, .generic].first(where: types.contains) ?? types.first ?? .generic
        let value =
            switch declared {
            case .phoneNumber: "+15550100"
            case .emailAddress: "somebody@example.org"
            case .generic: "somebody"
            }
        do {
            return try Handle(type: declared, value: value)
        } catch {
            throw .notTried("there is no valid handle to call: \(error)")
        }
    }

    /// Sends a start.
    func putStart(on host: ExaminingHost, isProvoked: Bool = false) throws(Unmet) -> PendingAnswer {
        host.put(try freshStart(on: host), isProvoked: isProvoked)
    }

    private func freshStart(on host: ExaminingHost) throws(Unmet) -> CallAction {
        .start(ExaminingHost.freshID(), StartRequest(try handle(on: host)))
    }

    func start(on host: ExaminingHost) async throws(Unmet) -> (CallID, String) {
        let action = try freshStart(on: host)
        return (action.call, try await fulfilled(action, on: host))
    }

    func connect(_ id: CallID, on host: ExaminingHost) async throws(Unmet) {
        _ = await host.wait(options.connectPatience) { [weak host] in
            host?.calls[id]?.isConnected == true || host?.calls[id]?.isEnded == true || host?.isUp != true
        }
        guard let call = host.calls[id], call.isConnected, !call.isEnded else {
            if host.calls[id]?.isEnded == true { throw .failed("the plugin reported its end instead") }
            let silence = "not reported connected within \(options.connectPatience) ms; does the far side answer?"
            throw .failed(await fate(of: host, silence))
        }
    }

    /// Simulates an incoming call.
    func ring(on host: ExaminingHost) async throws(Unmet) -> CallID {
        let before = Set(host.calls.keys)
        let answer = try await press(Self.incomingButton, on: host)
        guard case .fulfilled = answer else { throw .failed(await describe(answer, Self.incomingButton, host)) }
        guard let id = host.calls.first(where: { !before.contains($0.key) && !$0.value.isOutgoing })?.key else {
            throw .failed("\(Self.incomingButton) was answered, and no call reported")
        }
        return id
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
        let host = try await stage()
        return (host, try await anotherCall(on: host))
    }

    func isActiveCallPossible() async -> Bool {
        if await passed(.connect) { return true }
        return await passed(.answer)
    }

    func anotherCall(on host: ExaminingHost) async throws(Unmet) -> CallID {
        if await passed(.connect) {
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
        case .fulfilled(let milliseconds):
            return "\(subject) was fulfilled \(milliseconds == 0 ? "at once" : "after \(milliseconds) ms")"
        case .refused(let error):
            let name = error.name.split(separator: ".").last ?? ""
            return "\(subject) was refused: \(name): \(error.message)"
        case .silent(let milliseconds):
            guard host.isUp else { return "\(subject): \(await host.demise())" }
            return "\(subject) was not answered within \(milliseconds) ms"
        case .gone: return "\(subject): \(await host.demise())"
        }
    }

    // MARK: points

    func examineStart() async throws(Unmet) -> String {
        let host = try await stage()
        let answer = await host.ask(try freshStart(on: host))
        let text = await describe(answer, ActionKind.start.rawValue, host)
        switch answer {
        case .fulfilled: return text
        case .refused(let error) where error.name == ErrorCode.notSupported.busName: throw .notApplicable(text)
        case .refused, .silent, .gone: throw .failed(text)
        }
    }

    func examineConnect() async throws(Unmet) -> String {
        try await require(.start)
        let host = try await stage()
        let id = try await start(on: host).0
        let asked = MonotonicTime.now
        try await connect(id, on: host)
        return "connected \(MonotonicTime.now.milliseconds(since: asked)) ms after the start"
    }

    func examineEnd() async throws(Unmet) -> String {
        if await passed(.start) {
            let host = try await stage()
            let id = try await start(on: host).0
            return try await fulfilled(.end(id, reason: ""), on: host)
        }
        let (host, id) = try await activeCall()
        return try await fulfilled(.end(id, reason: ""), on: host)
    }
}
