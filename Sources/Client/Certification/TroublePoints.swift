// TroublePoints: the points about failures: unknown calls and kinds, malformed actions, time-outs, resets, many messages.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
struct TroublePoints: PointGroup {
    let examination: Examination

    func examineUnknownCall() async throws(Unmet) -> String {
        let host = try await examination.stage()
        for action in Self.actions(on: ExaminingHost.freshID()) {
            let question = host.put(action)
            let answer = await question.answer()
            switch (answer, action.kind) {
            // The call has ended in either case.
            case (.refused, _), (.fulfilled, .end): break
            default: throw .failed(await describe(answer, question.subject, host))
            }
        }
        return "all were refused"
    }

    /// Returns an action of each kind but start.
    private static func actions(on call: CallID) -> [CallAction] {
        [
            .answer(call), .setHeld(call, true), .setMuted(call, true), .setGroup(call, with: ExaminingHost.freshID()),
            .setGroup(call, with: nil), .playDTMF(call, digits: "1", tone: .singleTone),
            .setTranslating(call, true, Languages(local: "en-GB", remote: "sv")),
            .transfer(call, .call(ExaminingHost.freshID())), .answerTransfer(call, to: nil), .end(call, reason: ""),
        ]
    }

    func examineUnknownKind() async throws(Unmet) -> String {
        let host = try await examination.stage()
        try await refused(put("certify", ExaminingHost.freshID().description, [:], on: host), on: host)
        return "refused"
    }

    func examineMalformedAction() async throws(Unmet) -> String {
        let host = try await examination.stage()
        let call = ExaminingHost.freshID().description
        let wrongs: [(kind: ActionKind, call: String, details: VariantDictionary)] = [
            (.answer, "", [:]), (.answer, "me", [:]), (.start, call, [:]), (.setHeld, call, [:]),
            (.setMuted, call, ["muted": "yes"]), (.playDTMF, call, ["digits": "call me"]),
            (.start, call, ["handle": "somebody"]), (.setGroup, call, ["group-with": "them"]),
            (.setTranslating, call, ["translating": "yes"]), (.setTranslating, call, ["translating": true]),
            (.transfer, call, ["to": "somebody"]), (.transferTo, call, ["other": "them"]),
            (.answerTransfer, call, [:]), (.answerTransfer, call, ["to": "somebody"]),
        ]
        for wrong in wrongs {
            try await refused(put(wrong.kind.rawValue, wrong.call, wrong.details, on: host), on: host)
        }
        let id = ExaminingHost.freshID().description
        let mistyped = host.put(id, ActionKind.end.rawValue, UInt32(1))
        try await refused(mistyped, on: host)
        return "all \(wrongs.count + 1) were refused"
    }

    /// Sends a Perform with details of any kind.
    private func put(
        _ kind: String, _ call: String, _ details: VariantDictionary, id: String = ExaminingHost.freshID().description,
        isProvoked: Bool = false, on host: ExaminingHost
    ) -> PendingAnswer {
        host.put(
            id, kind, call, ExaminingHost.freshID().description, ExaminingHost.moment(after: .seconds(60)), details,
            isProvoked: isProvoked)
    }

    func examineCustomActions() async throws(Unmet) -> String {
        let host = try await examination.stage()
        let actions = host.provider?.configuration.customActions ?? []
        guard !actions.isEmpty else { throw .notApplicable("the plugin has no custom actions") }
        for action in actions {
            let question = host.put(button: action.id, [:])
            let answer = await question.answer()
            guard answer.isGiven else { throw .failed(await describe(answer, question.subject, host)) }
        }
        try await refused(host.put(button: "certify", [:]), on: host)
        return actions.map(\.id).joined(separator: ", ")
    }

    func examineTimedOut() async throws(Unmet) -> String {
        try await examination.require(.start)
        let host = try await examination.stage()
        let (id, action) = (ExaminingHost.freshID(), ExaminingHost.freshID().description)
        let start = CallAction.start(id, StartRequest(try handle(on: host)))
        host.calls[id] = ExaminedCall(isOutgoing: true)
        examination.log.usedIDs.insert(id)
        _ = put(
            start.kind.rawValue, id.description, PerformWire.details(of: start), id: action, isProvoked: true, on: host)
        host.notifyTimedOut(action)
        // Later reports of the plugin about the call are ignored.
        host.calls[id]?.isEnded = true
        try await answersPing(host)
        try await goesOn(host)
        return "the next start was fulfilled"
    }

    func examineReset() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        host.reset()
        try await answersPing(host)
        try await requireForgotten(id, on: host)
        if await examination.passed(.start) { try await goesOn(host) }
        guard host.calls[id]?.afterlife == 0 else { throw .failed("the plugin reported on the call afterwards") }
        return "the call was forgotten"
    }

    /// Pings while a start is pending, and after many actions, whether these are answered or not.
    func examinePing() async throws(Unmet) -> String {
        let host = try await examination.stage()
        let start = try putStart(on: host)
        var longest = Duration.zero
        repeat {
            longest = max(longest, try await answersPing(host))
            _ = await host.wait(Self.pingInterval) { start.isSettled }
        } while !start.isSettled
        let many = (0..<100).map { _ in
            host.put(.setMuted(ExaminingHost.freshID(), true))
        }
        let crowded = try await answersPing(host)
        for question in many { _ = await question.answer() }
        return "answered within \(longest.text) with a start open, within \(crowded.text) behind 100 actions"
    }

    private static let pingInterval = Duration.milliseconds(20)
}
