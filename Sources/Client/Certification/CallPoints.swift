// CallPoints: the points about calls that start, come in, are found, and end.

import CallModel
import DBus
import EventLoop

@LoopActor
struct CallPoints: PointGroup {
    let examination: Examination

    func examineStart() async throws(Unmet) -> String {
        let host = try await examination.stage()
        let answer = await host.ask(try freshStart(on: host))
        let text = await describe(answer, ActionKind.start.rawValue, host)
        switch answer {
        case .fulfilled: return text
        case .refused(let error) where error.name == ErrorCode.notSupported.busName: throw .notApplicable(text)
        case .refused: throw .failed(text + handleHint(on: host))
        case .silent, .gone: throw .failed(text)
        }
    }

    func examineConnect() async throws(Unmet) -> String {
        try await examination.require(.start)
        let host = try await examination.stage()
        let id = try await start(on: host).0
        let asked = MonotonicTime.now
        try await connect(id, on: host)
        return "connected \(MonotonicTime.now.duration(since: asked).text) after the start"
    }

    func examineEnd() async throws(Unmet) -> String {
        if await examination.passed(.start) {
            let host = try await examination.stage()
            let id = try await start(on: host).0
            return try await fulfilled(.end(id, reason: ""), on: host)
        }
        let (host, id) = try await activeCall()
        return try await fulfilled(.end(id, reason: ""), on: host)
    }

    // MARK: incoming calls, of a plugin that can simulate them

    func examineIncoming() async throws(Unmet) -> String {
        let host = try await examination.stage()
        try requireIncoming(on: host)
        let id = try await ring(on: host)
        guard let handle = host.calls[id]?.facts.remoteHandle else { throw .failed("reported without a handle") }
        let declared = host.provider?.configuration.supportedHandleTypes ?? []
        return declared.contains(handle.type)
            ? "reported with a \(handle.type.rawValue) handle"
            : "reported with a \(handle.type.rawValue) handle, a type that is not declared"
    }

    func examineRefusedIncoming() async throws(Unmet) -> String {
        try await examination.require(.incoming)
        let host = try await examination.stage()
        host.refusedIncoming = nil
        host.refusalOfNextIncoming = CallError(.filteredByBlockList, "the user blocks this handle")
        if examination.options.callIn.isEmpty {
            let answer = try await press(Button.incoming, on: host)
            guard answer.isGiven else { throw .failed(await describe(answer, Button.incoming, host)) }
        } else {
            try await examination.callIn(host) { host.refusedIncoming != nil }
        }
        guard let id = host.refusedIncoming else { throw .failed("no call was reported") }
        try await refused(host.put(.answer(id)), on: host)
        return "dropped"
    }

    func examineAnswer() async throws(Unmet) -> String {
        try await examination.require(.incoming)
        let host = try await examination.stage()
        let id = try await ring(on: host)
        return try await fulfilled(.answer(id), on: host)
    }

    func examineReject() async throws(Unmet) -> String {
        try await examination.require(.incoming)
        let host = try await examination.stage()
        let id = try await ring(on: host)
        return try await fulfilled(.end(id, reason: "busy"), on: host)
    }

    // MARK: ongoing calls, of a plugin that can simulate one

    func examineOngoing() async throws(Unmet) -> String {
        try require(button: Button.ongoing, "reports no ongoing call by itself", on: try await examination.stage())
        switch await examination.verdict(on: .hold).result {
        case .passed, .notApplicable: break
        case .failed, .notTried: throw .notTried("needs hold")
        }
        let host = try await examination.stage()
        let before = Set(host.calls.keys)
        host.takesOngoing = true
        let answer = try await press(Button.ongoing, on: host)
        host.takesOngoing = false
        guard case .fulfilled = answer else { throw .failed(await describe(answer, Button.ongoing, host)) }
        guard let (id, call) = host.calls.first(where: { !before.contains($0.key) && $0.value.isOngoing }) else {
            throw .failed("\(Button.ongoing) was answered, and no call reported")
        }
        guard call.facts.remoteHandle != nil else { throw .failed("reported without a handle") }
        if let hold = host.holdOfOngoing {
            let answer = await hold.answer()
            guard case .fulfilled = answer else {
                throw .failed("\(await describe(answer, hold.subject, host)); it came before the answer to the report")
            }
        }
        if call.canBeHeld { try await fulfilled(.setHeld(id, false), on: host) }
        let end = try await fulfilled(.end(id, reason: ""), on: host)
        return "reported as \(call.isOutgoing ? "outgoing" : "incoming"), then \(end)"
    }
}
