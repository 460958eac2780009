// The stable text form of effects: one line each, with the values that a change brought.

public import CallCore
import CallModel

extension Effects {
    /// Returns a line for each effect; `now` is when they were decided.
    public func lines(at now: Instant) -> [String] { map { $0.text(at: now) } }
}

extension Effect {
    /// Returns the effect as one line; `now` is when it was decided.
    public func text(at now: Instant) -> String {
        switch self {
        case .perform(let action):
            let time = (action.deadline.uptime - min(now.uptime, action.deadline.uptime)) / 1_000
            let rule = action.rule.map { " rule=\($0.rawValue)" } ?? ""
            return "perform a\(action.id.number) on \(action.provider): \(action.action)\(rule) by=+\(time)ms "
                + "t\(action.transaction.number)\(action.part.text)"
        case .timedOut(let action, let provider): return "timed-out a\(action.number) on \(provider)"
        case .transactionEnded(let id, let provider, let failed):
            return "transaction-ended t\(id.number) on \(provider)\(failed ? " failed" : "")"
        case .reply(let id, let reply): return "reply #\(id.number) \(reply.text)"
        case .callAdded(let call): return "added \(call.id.scenarioText)\(call.published.text(of: .initial))"
        case .callChanged(let call, let changes):
            return "changed \(call.id.scenarioText)\(call.published.text(of: changes))"
        case .callRemoved(let id): return "removed \(id.scenarioText)"
        case .callEnded(let id, let reason, let origin):
            return "call-ended \(id.scenarioText) \(reason.rawValue) by \(origin.rawValue)"
        case .lookUp(let id, let handle):
            return "look-up \(id.scenarioText)\(handle.map { " " + $0.description.quoted } ?? "")"
        case .screen(let call, let screener): return "screen \(call.id.scenarioText) \(screener)"
        case .callFiltered(let call):
            return "filtered \(call.call.scenarioText) of \(call.provider): \(call.reason.rawValue) by \(call.by)"
        case .activeCallChanged(let id): return "active-call \(id?.scenarioText ?? "none")"
        case .ringingCallChanged(let id): return "ringing \(id?.scenarioText ?? "none")"
        case .suggestedResumeChanged(let id): return "suggested-resume \(id?.scenarioText ?? "none")"
        case .resumeSuggested(let id): return "resume-suggested \(id.scenarioText)"
        case .anomaly(let anomaly): return "anomaly \(anomaly)"
        case .providerAdded(let provider): return "provider-added \(provider.id)"
        case .providerChanged(let provider):
            return "provider-changed \(provider.id) \(provider.isReady ? "ready" : "unavailable")"
        case .providerRemoved(let id): return "provider-removed \(id)"
        case .reset(let id): return "reset \(id)"
        case .activateAudio(let id, let call): return "activate-audio \(id) \(call.scenarioText)"
        case .deactivateAudio(let id): return "deactivate-audio \(id)"
        case .prepareAudio(let agent, let provider, let call, let isSwitching):
            return "prepare-audio \(agent) for \(provider) \(call.scenarioText)\(isSwitching ? " switching" : "")"
        case .finishAudio(let agent): return "finish-audio \(agent)"
        case .audioChanged(let audio): return "audio \(audio.text)"
        case .arm(let timer, let at): return "arm \(timer) +\((at.uptime - min(now.uptime, at.uptime)) / 1_000)ms"
        case .disarm(let timer): return "disarm \(timer)"
        case .stop: return "stop"
        }
    }
}

extension ActionPart {
    /// ` then set-muted A on; end B`, ` part 1`, or nothing.
    package var text: String {
        switch self {
        case .single: ""
        case .first(let following): " then \(following.map(\.description).joined(separator: "; "))"
        case .following(let number): " part \(number)"
        }
    }
}

extension CallChanges {
    fileprivate static let initial = CallChanges(
        CallProperty.state, CallProperty.ringMode, CallProperty.answerOptions, CallProperty.can)
}

extension Reply {
    var text: String {
        switch self {
        case .done: "done"
        case .call(let id): "call \(id.scenarioText)"
        case .performed(let id, let calls):
            "performed t\(id.number) \(calls.map(\.scenarioText).joined(separator: ","))"
        case .failed(let error): "error \(error)" + (error.reason.isEmpty ? "" : " reason=\(error.reason.quoted)")
        }
    }
}

extension FilteredCall.Filter: CustomStringConvertible {
    public var description: String {
        switch self {
        case .blockList(let list): "list \(list.quoted)"
        case .doNotDisturb: "do-not-disturb"
        case .emergency: "emergency"
        case .screener(let id): "screener \(id)"
        }
    }
}

extension Anomaly: CustomStringConvertible {
    public var description: String { "\(kind.rawValue) \(subject.text): \(text)" }
}

extension Anomaly.Subject {
    fileprivate var text: String {
        switch self {
        case .call(let id): "call \(id.scenarioText)"
        case .provider(let id): "provider \(id)"
        case .system: "system"
        }
    }
}
