// ActiveCallPoints: the points about active calls: mute, hold, tones, translation, groups and transfers.

import CallModel
import DBus
import EventLoop

@LoopActor
struct ActiveCallPoints: PointGroup {
    let examination: Examination

    func examineMute() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        let answer = await host.ask(.setMuted(id, true))
        let text = await describe(answer, ActionKind.setMuted.rawValue, host)
        switch answer {
        case .fulfilled: break
        case .refused(let error)
        where [ErrorCode.notSupported.busName, RefusalWord.unsupported.busName].contains(error.name):
            throw .notApplicable(text)
        default: throw .failed(text)
        }
        return try await fulfilled(.setMuted(id, false), on: host)
    }

    func examineHold() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        try requireHolding(id, on: host)
        return try await fulfilled(.setHeld(id, true), on: host)
    }

    func examineResume() async throws(Unmet) -> String {
        try await examination.require(.hold)
        let (host, id) = try await activeCall()
        try await fulfilled(.setHeld(id, true), on: host)
        return try await fulfilled(.setHeld(id, false), on: host)
    }

    private func requireHolding(_ id: CallID, on host: ExaminingHost) throws(Unmet) {
        let facts = host.calls[id]?.facts
        if facts?.supportsHolding == false { throw .notApplicable("supports-holding is false") }
        if facts?.canHoldNow == false { throw .notApplicable("can-hold-now is false") }
    }

    func examineDTMF() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        if host.calls[id]?.facts.supportsDTMF == false { throw .notApplicable("supports-dtmf is false") }
        for digit in "123A456B789C*0#" {
            try await fulfilled(.playDTMF(id, digits: String(digit), tone: .singleTone), on: host)
        }
        return try await fulfilled(.playDTMF(id, digits: "D", tone: .singleTone), on: host)
    }

    func examineDTMFPauses() async throws(Unmet) -> String {
        try await examination.require(.dtmf)
        let (host, id) = try await activeCall()
        try await fulfilled(.playDTMF(id, digits: ",12", tone: .softPause), on: host)
        return try await fulfilled(.playDTMF(id, digits: ";34", tone: .hardPause), on: host)
    }

    func examineTranslation() async throws(Unmet) -> String {
        guard try await configuration().supportsAudioTranslation else {
            throw .notApplicable("supports-audio-translation is false")
        }
        let (host, id) = try await activeCall()
        let languages = [("en-GB", "sv"), ("en-GB", "zh-Hant-TW")].map { Languages(local: $0.0, remote: $0.1) }
        for wanted in languages { try await fulfilled(.setTranslating(id, true, wanted), on: host) }
        return try await fulfilled(.setTranslating(id, false, languages[1]), on: host)
    }

    func examineSecondCall() async throws(Unmet) -> String {
        let groups = try await configuration().maximumCallGroups
        guard groups > 1 else { throw .notApplicable("maximum-call-groups is \(groups)") }
        try await examination.require(.resume)
        let (host, first, second) = try await heldAndActiveCall()
        try await exchange(second, for: first, on: host)
        if host.calls[second]?.isEnded != false { throw .failed("the plugin ended the second call") }
        try await fulfilled(.end(first, reason: ""), on: host)
        return try await fulfilled(.setHeld(second, false), on: host)
    }

    // MARK: groups

    func examineGroup() async throws(Unmet) -> String {
        let (host, first, second) = try await twoCalls()
        return try await fulfilled(.setGroup(second, with: first), on: host)
    }

    func examineGroupHold() async throws(Unmet) -> String {
        let (host, first, second) = try await conversation()
        for onHold in [true, false] {
            for member in [first, second] { try await fulfilled(.setHeld(member, onHold), on: host) }
        }
        return "both members were held and taken back"
    }

    func examineUngroup() async throws(Unmet) -> String {
        let (host, first, second) = try await conversation()
        if host.calls[second]?.facts.supportsUngrouping == false {
            throw .notApplicable("supports-ungrouping is false")
        }
        let text = try await fulfilled(.setGroup(second, with: nil), on: host)
        // The named call remains active; the other has been held.
        try await fulfilled(.end(second, reason: ""), on: host)
        try await fulfilled(.setHeld(first, false), on: host)
        return text
    }

    private func conversation() async throws(Unmet) -> (ExaminingHost, CallID, CallID) {
        try await examination.require(.group)
        let (host, first, second) = try await twoCalls()
        try await fulfilled(.setGroup(second, with: first), on: host)
        return (host, first, second)
    }

    /// Makes a held and an active call, if the provider can group them.
    private func twoCalls() async throws(Unmet) -> (ExaminingHost, CallID, CallID) {
        let room = try await configuration().maximumCallsPerCallGroup
        guard room > 1 else { throw .notApplicable("maximum-calls-per-call-group is \(room)") }
        try await examination.require(.secondCall)
        let (host, first, second) = try await heldAndActiveCall()
        for call in [first, second] where host.calls[call]?.facts.supportsGrouping == false {
            throw .notApplicable("supports-grouping is false")
        }
        return (host, first, second)
    }

    // MARK: transfers

    func examineTransfer() async throws(Unmet) -> String {
        try await requireTransfers()
        let (host, id) = try await activeCall()
        return try await answered(.transfer(id, .handle(try handle(on: host))), of: [id], on: host)
    }

    func examineAttendedTransfer() async throws(Unmet) -> String {
        try await requireTransfers()
        try await examination.require(.secondCall)
        let (host, held, active) = try await heldAndActiveCall()
        return try await answered(.transfer(active, .call(held)), of: [active, held], on: host)
    }

    private func requireTransfers() async throws(Unmet) {
        guard try await configuration().supportsTransfer else { throw .notApplicable("supports-transfer is false") }
    }

    /// Requests a transfer, which the network may refuse. Its calls are over if it is fulfilled, and go on if not.
    private func answered(
        _ transfer: CallAction, of calls: [CallID], on host: ExaminingHost
    ) async throws(Unmet) -> String {
        let answer = await host.ask(transfer)
        let text = await describe(answer, transfer.kind.rawValue, host)
        guard !calls.contains(where: { host.calls[$0]?.isEnded == true && host.calls[$0]?.isTransferred == false })
        else { throw .failed("\(text), and the plugin reported the end of the call before") }
        switch answer {
        case .fulfilled:
            for call in calls { try await requireForgotten(call, on: host) }
            try await answersPing(host)
        case .refused(let error) where error.name != ErrorCode.notSupported.busName:
            for call in calls { try await fulfilled(.end(call, reason: ""), on: host) }
        case .refused, .silent, .gone: throw .failed(text)
        }
        return text
    }
}
