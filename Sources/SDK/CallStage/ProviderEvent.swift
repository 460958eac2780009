// What the host tells a provider.

import CallCore
package import CallModel
import CallScenario

package enum ProviderEvent: Sendable, Equatable {
    case perform(CallAction, ActionPart)
    case timedOut
    case transactionEnded(failed: Bool)
    case reset
    case audioActivated(CallID)
    case audioDeactivated
    /// The host refused the registration, or sent what is not in the contract.
    case unexpected(String)

    /// An action as the provider sees it: a start does not name its provider.
    package static func performed(_ action: CallAction, _ part: ActionPart) -> ProviderEvent {
        guard case .first(let following) = part else { return .perform(seen(action), part) }
        return .perform(seen(action), .first(following.map(seen)))
    }

    private static func seen(_ action: CallAction) -> CallAction {
        guard case .start(let call, var start) = action else { return action }
        start.provider = nil
        return .start(call, start)
    }
}

/// The words of transcripts.
extension ProviderEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .perform(let action, let part): "perform \(action)\(part.text)"
        case .timedOut: "timed-out"
        case .transactionEnded(let failed): "transaction-ended\(failed ? " failed" : "")"
        case .reset: "reset"
        case .audioActivated(let call): "activate-audio \(call.scenarioText)"
        case .audioDeactivated: "deactivate-audio"
        case .unexpected(let text): "unexpected: \(text)"
        }
    }
}
