// StageTranscript: what each participant of a scenario gets, in the text of the core's transcript.

package import CallCore
package import CallModel
import CallScenario

/// Compares the messages of the real host with the effects of the pure core: by provider, request, screener, audio
/// agent, and on the bus.
package struct StageTranscript: Equatable {
    /// In order, by provider.
    package var providers: [ProviderID: [String]] = [:]
    /// By label. Exactly one each.
    package var replies: [Int: [String]] = [:]
    package var signals: [String] = []
    package var screeners: [ScreenerID: [String]] = [:]
    package var audioAgents: [AudioAgentID: [String]] = [:]

    package init() {}

    package mutating func add(_ event: ProviderEvent, for provider: ProviderID) {
        providers[provider, default: []].append(event.description)
    }

    package mutating func add(_ outcome: RequestOutcome, label: Int) {
        replies[label, default: []].append(outcome.description)
    }

    package mutating func add(_ event: ScreenerEvent, for screener: ScreenerID) {
        screeners[screener, default: []].append(event.description)
    }

    package mutating func add(_ event: AudioAgentEvent, for agent: AudioAgentID) {
        audioAgents[agent, default: []].append(event.description)
    }

    /// Adds the effects of an input.
    ///
    /// - Parameters:
    ///   - label: the number that stands for a reply.
    ///   - isReject: whether a request was Reject, whose answer has no values.
    package mutating func add(
        _ effects: Effects, label: (ReplyID) -> Int?, isReject: (Int) -> Bool
    ) {
        for effect in effects {
            switch effect {
            case .perform(let action): add(.performed(action.action, action.part), for: action.provider)
            case .timedOut(_, let id): add(.timedOut, for: id)
            case .transactionEnded(_, let id, let failed): add(.transactionEnded(failed: failed), for: id)
            case .reset(let id): add(.reset, for: id)
            case .activateAudio(let id, let call): add(.audioActivated(call), for: id)
            case .deactivateAudio(let id): add(.audioDeactivated, for: id)
            case .reply(let id, let reply):
                guard let label = label(id) else { continue }
                add(RequestOutcome(reply, isReject: isReject(label)), label: label)
            case .callChanged(let call, let changes):
                // Who is calling changes on an interface of its own.
                let others = changes.subtracting(.identity)
                if !others.isEmpty { signals.append(Self.text(of: .callChanged(call, others))) }
                if !changes.isDisjoint(with: .identity) { signals.append("identity \(call.id.scenarioText)") }
            case .callAdded, .callRemoved, .callEnded, .activeCallChanged, .ringingCallChanged,
                .suggestedResumeChanged, .resumeSuggested, .anomaly, .providerAdded,
                .providerChanged, .providerRemoved, .audioChanged:
                signals.append(Self.text(of: effect))
            case .callFiltered(let call):
                signals.append("filtered \(call.provider) \(call.reason.rawValue) by \(call.by.word)")
            case .screen(let call, let screener): add(.screen(call.id), for: screener)
            case .prepareAudio(let agent, let id, let call, let isSwitching):
                add(.prepare(call, id, isSwitching: isSwitching), for: agent)
            case .finishAudio(let agent): add(.finish, for: agent)
            case .lookUp, .arm, .disarm, .stop: break
            }
        }
    }

    /// Returns the text of a signal, which does not depend on the time.
    private static func text(of effect: Effect) -> String { effect.text(at: Instant(uptime: 0, date: 0)) }
}
