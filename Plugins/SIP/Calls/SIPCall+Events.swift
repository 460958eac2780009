// What the engine tells of a call.

import OpenCallKit

extension SIPCall {
    mutating func take(_ event: SIPCallEvent) -> [Output] {
        if case .ended(let code, let failure, let reason) = event { return end(code, failure, reason) }
        guard isPresent else { return [] }
        switch event {
        case .incoming(let caller): return [.report(.incoming(SIPCallerDetails(caller)))]
        case .progress(let code, let hasMedia): return advance(code, hasMedia)
        case .connected: return connect()
        case .media(let codec, let encryption, let isRemoteHeld): return take(codec, encryption, isRemoteHeld)
        case .done(let token, let code, let failure): return finish(token, code, failure)
        case .transferRequested(let uri): return take(transferTo: uri)
        case .replaced(let uri, let name): return replace(SIPAddress.handle(for: uri), name)
        case .quality(let quality): return phase == .connected ? [.report(.quality(quality))] : []
        case .digit, .ended: return []
        }
    }

    private mutating func advance(_ code: UInt16, _ hasMedia: Bool) -> [Output] {
        guard phase == .dialing else { return [] }
        let outputs: [Output] = hasProgressed ? [] : [.report(.startedConnecting)]
        hasProgressed = true
        guard let now = Self.progress(code, hasMedia, after: progress), now != progress else { return outputs }
        progress = now
        return outputs + [.report(.progress(now))]
    }

    /// The word for a provisional response. What the network plays goes on until it is answered or forwarded.
    private static func progress(
        _ code: UInt16, _ hasMedia: Bool, after before: CXCallUpdate.Progress?
    ) -> CXCallUpdate.Progress? {
        switch code {
        case _ where hasMedia: .earlyMedia
        case 181: .forwarded
        case 182: .queued
        case _ where before == .earlyMedia: before
        case 180: .alerting
        default: before ?? .trying
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

    private mutating func take(_ codec: String, _ encryption: String, _ isRemoteHeld: Bool) -> [Output] {
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

    private mutating func take(transferTo uri: String) -> [Output] {
        guard phase == .connected, let handle = SIPAddress.handle(for: uri) else {
            return [.command(.answerTransfer(number, false, token: 0))]
        }
        transferRequest = handle
        return [.report(.transferRequest(handle))]
    }

    private mutating func replace(_ handle: CXHandle?, _ name: String) -> [Output] {
        let shown = SIPName.shown(name, withheld: handle == nil)
        let wasAsked = transferRequest != nil
        transferRequest = nil
        // A request that is being accepted is over when its action is fulfilled.
        if !wasAsked || awaited.contains(where: \.isAnswerToTransfer) {
            return [.report(.replaced(handle, name: shown))]
        }
        return [.report(.transferRequestWithdrawn), .report(.replaced(handle, name: shown))]
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
