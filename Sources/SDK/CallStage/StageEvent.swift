// What happens outside the host so that an input reaches the core.

package import CallCore
package import CallModel

/// One event: of a provider, a client, a screener or the clock.
package enum StageEvent: Sendable, Equatable {
    /// What a provider says to a Perform.
    package enum Answer: Sendable, Equatable {
        case fulfilled(date: UInt64, engine: TranslationEngine = .default)
        case refused(reason: String)
    }

    case register(ProviderID, ProviderConfiguration)
    case reconfigure(ProviderID, ProviderConfiguration)
    /// The provider's process dies.
    case die(ProviderID)
    /// The provider invalidates itself.
    case leave(ProviderID)
    /// `label` tells the replies of one scenario apart.
    case report(Report, by: ProviderID, label: Int)
    case request(Request, label: Int)
    /// The provider's answer to the Perform that was its n-th, from 0.
    case answer(ProviderID, perform: Int, Answer)
    case releaseAudio(ProviderID)
    case silence
    case doNotDisturb(Bool)
    case doNotDisturbRules(DoNotDisturbRules)
    case registerScreener(ScreenerID)
    case unregisterScreener(ScreenerID)
    /// The screener's answer to the question that was its n-th, from 0; nil for one outside the contract.
    case screen(ScreenerID, question: Int, ScreeningVerdict?)
    /// Whether the host has somewhere to look up callers.
    case lookUp(Bool)
    case tell(CallID, CallerFacts)
    case shutDown
    case wait(TimerID)
    /// Nothing outside leads to this input at this moment.
    case impossible(String)
}
