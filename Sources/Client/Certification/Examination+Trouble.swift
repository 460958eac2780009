// What should not happen, and does: calls and kinds that nobody knows, nonsense, time-outs, resets, floods.

import CallModel
import DBus
import EventLoop
import CallWire

extension Examination {
    func examineUnknownCall() async throws(Unmet) -> String {
        let host = try await stage()
        for action in Self.actions(on: ExaminingHost.freshID()) {
            let question = host.put(action, patience: options.patience)
            let answer = await question.answer()
            switch (answer, action.kind) {
            // Over it is, whoever had it.
            case (.refused, _), (.fulfilled, .end): break
            default: throw .failed(await describe(answer, question.subject, host))
            }
        }
        return "all were refused"
    }

    /// One of each kind but start.
    private static func actions(on call: CallID) -> [CallAction] {
        [
            .answer(call), .setHeld(call, true), .setMuted(call, true), .setGroup(call, with: ExaminingHost.freshID()),
            .setGroup(call, with: nil), .playDTMF(call, digits: "1", tone: .singleTone),
            .setTranslating(call, true, Languages(local: "en-GB", remote: "sv")), .end(call, reason: ""),
        ]
    }

    func examineUnknownKind() async throws(Unmet) -> String {
        let host = try await stage()
        let question = host.put(
            ExaminingHost.freshID().description, "certify", Self.common(ExaminingHost.freshID()),
            patience: options.patience)
        try await refused(question, on: host)
        return "refused"
    }

    func examineMalformedAction() async throws(Unmet) -> String {
        let host = try await stage()
        let good = Self.common(ExaminingHost.freshID())
        var wrongs: [(kind: ActionKind, args: VariantDictionary)] = [(.answer, [:]), (.start, good), (.setHeld, good)]
        for (kind, key, value) in [
            (ActionKind.answer, "call-uuid", Variant.string("me")), (.end, "call-uuid", .uint32(1)),
            (.setMuted, "muted", .string("yes")), (.playDTMF, "digits", .string("call me")),
            (.start, "handle", .string("somebody")), (.setGroup, "group-with", .string("them")),
            (.setTranslating, "translating", .string("yes")), (.setTranslating, "translating", .bool(true)),
        ] {
            var args = good
            args[key] = value
            wrongs.append((kind, args))
        }
        for (kind, args) in wrongs {
            let id = ExaminingHost.freshID().description
            try await refused(host.put(id, kind.rawValue, args, patience: options.patience), on: host)
        }
        return "all \(wrongs.count) were refused"
    }

    private static func common(_ call: CallID) -> VariantDictionary {
        [
            "call-uuid": .string(call.description), "transaction": .string(ExaminingHost.freshID().description),
            "deadline": .uint64(WallTime.now.microseconds + 60_000_000),
        ]
    }

    func examineCustomActions() async throws(Unmet) -> String {
        let host = try await stage()
        let actions = host.provider?.configuration.customActions ?? []
        guard !actions.isEmpty else { throw .notApplicable("there is none") }
        for action in actions {
            let question = host.put(button: action.id, [:], patience: options.patience)
            let answer = await question.answer()
            guard answer.isGiven else { throw .failed(await describe(answer, question.subject, host)) }
        }
        try await refused(host.put(button: "certify", [:], patience: options.patience), on: host)
        return actions.map(\.id).joined(separator: ", ")
    }

    func examineTimedOut() async throws(Unmet) -> String {
        try await require(.start)
        let host = try await stage()
        let (id, action) = (ExaminingHost.freshID(), ExaminingHost.freshID().description)
        var args = Self.common(id)
        args.set("handle", try handle(on: host).wire)
        args.set("video", false)
        args.set("contact-identifier", "")
        host.calls[id] = ExaminedCall(isOutgoing: true)
        log.usedIDs.insert(id)
        _ = host.put(
            action, ActionKind.start.rawValue, args, patience: options.patience, isProvoked: true)
        host.notifyTimedOut(action)
        // Whatever the plugin still says of it, nobody listens.
        host.calls[id]?.isEnded = true
        try await answersPing(host)
        try await goesOn(host)
        return "the next start was fulfilled"
    }

    func examineReset() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        host.reset()
        try await answersPing(host)
        for action in [CallAction.setHeld(id, true), .setMuted(id, true)] {
            let question = host.put(action, patience: options.patience)
            let answer = await question.answer()
            guard case .refused = answer else {
                throw .failed("the call is still there: \(await describe(answer, question.subject, host))")
            }
        }
        if await passed(.start) { try await goesOn(host) }
        guard host.calls[id]?.afterlife == 0 else { throw .failed("the plugin reported on the call afterwards") }
        return "the call was forgotten"
    }

    /// A call can be started and ended again.
    private func goesOn(_ host: ExaminingHost) async throws(Unmet) {
        let id = try await start(on: host).0
        try await fulfilled(.end(id, reason: ""), on: host)
    }

    @discardableResult
    func answersPing(_ host: ExaminingHost) async throws(Unmet) -> Int {
        let answer = await host.putPing(patience: options.patience).answer()
        guard case .fulfilled(let milliseconds) = answer else {
            throw .failed(await describe(answer, "a ping", host))
        }
        return milliseconds
    }

    /// Pings while a start is open, and one behind many actions. Whether those are answered is not the question here.
    func examinePing() async throws(Unmet) -> String {
        let host = try await stage()
        let start = try putStart(on: host)
        var longest = 0
        repeat {
            longest = max(longest, try await answersPing(host))
            _ = await host.wait(Self.pingInterval) { start.isSettled }
        } while !start.isSettled
        let many = (0..<100).map { _ in
            host.put(.setMuted(ExaminingHost.freshID(), true), patience: options.patience)
        }
        let crowded = try await answersPing(host)
        for question in many { _ = await question.answer() }
        return "answered within \(longest) ms with a start open, within \(crowded) ms behind 100 actions"
    }

    /// In milliseconds.
    private static let pingInterval = 20
}
