// What everybody on a stage hears, in the words of the core's transcript.

package import CallCore
package import CallModel
import CallScenario

/// For the comparison of what is heard with what the pure core says: by each provider, each caller, each screener, and on
/// the bus.
package struct StageTranscript: Equatable {
    /// In order, by provider.
    package var providers: [ProviderID: [String]] = [:]
    /// By label. Exactly one each.
    package var replies: [Int: [String]] = [:]
    package var signals: [String] = []
    package var screeners: [ScreenerID: [String]] = [:]

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

    /// Adds what an input led to.
    ///
    /// - Parameters:
    ///   - label: the number that stands for a reply.
    ///   - isReject: whether a request was one that is answered without values.
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
                if changes != .identity { signals.append(Self.text(of: .callChanged(call, others))) }
                if changes.contains(.identity) { signals.append("identity \(call.id.scenarioText)") }
            case .callAdded, .callRemoved, .callEnded, .activeCallChanged, .resumeSuggested, .anomaly, .providerAdded,
                .providerChanged, .providerRemoved, .audioChanged:
                signals.append(Self.text(of: effect))
            case .callFiltered(let call):
                signals.append("filtered \(call.provider) \(call.reason.rawValue) by \(call.by.word)")
            case .screen(let call, let screener): add(.screen(call), for: screener)
            case .lookUp, .arm, .disarm, .stop: break
            }
        }
    }

    /// Returns what is signalled in words, which do not depend on the time.
    private static func text(of effect: Effect) -> String { effect.text(at: Instant(uptime: 0, date: 0)) }
}
