// What the host asks a screener.

import CallCore
package import CallModel

package enum ScreenerEvent: Sendable, Equatable {
    case screen(CallID)
    /// The host refused the registration, or asked what is not in the contract.
    case unexpected(String)
}

/// The words of transcripts.
extension ScreenerEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .screen(let call): "screen \(call.scenarioText)"
        case .unexpected(let text): "unexpected: \(text)"
        }
    }
}
