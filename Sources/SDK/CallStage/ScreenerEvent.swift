// ScreenerEvent: a message of the host to a screener.

import CallCore
package import CallModel

package enum ScreenerEvent: Sendable, Equatable {
    case screen(CallID)
    /// The host refused the registration, or sent a message outside the contract.
    case unexpected(String)
}

/// The text in transcripts.
extension ScreenerEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .screen(let call): "screen \(call.scenarioText)"
        case .unexpected(let text): "unexpected: \(text)"
        }
    }
}
