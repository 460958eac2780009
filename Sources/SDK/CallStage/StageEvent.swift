// StageEvent: an event outside the host that leads to an input of the core.

package import CallCore
package import CallModel

/// One event: of a provider, a client, a screener, an audio agent or the clock.
package enum StageEvent: Sendable, Equatable {
    /// A provider's answer to a Perform.
    package enum Answer: Sendable, Equatable {
        case fulfilled(date: WallTime, engine: TranslationEngine = .default)
        case refused(RefusalWord? = nil, reason: String)
    }

    case register(ProviderID, ProviderConfiguration, isPackaged: Bool, owner: Owner?)
    case reconfigure(ProviderID, ProviderConfiguration)
    /// The provider's process dies.
    case die(ProviderID)
    /// The provider invalidates itself.
    case leave(ProviderID)
    /// `label` tells the replies of one scenario apart.
    case report(Report, by: ProviderID, label: Int)
    case request(Request, label: Int)
    /// The provider's answer to its n-th Perform, from 0.
    case answer(ProviderID, perform: Int, Answer)
    case releaseAudio(ProviderID)
    case silence
    case doNotDisturb(Bool)
    case doNotDisturbRules(DoNotDisturbRules)
    case registerScreener(ScreenerID)
    case unregisterScreener(ScreenerID)
    /// The screener's answer to its n-th question, from 0; nil for an answer outside the contract.
    case screen(ScreenerID, question: Int, ScreeningVerdict?)
    case registerAudioAgent(AudioAgentID)
    case unregisterAudioAgent(AudioAgentID)
    /// The audio agent's answer to its n-th Prepare, from 0.
    case prepareAudio(AudioAgentID, question: Int, failed: Bool)
    case defaultProviders([String: ProviderID])
    case emergencyProviders(Set<ProviderID>)
    /// The host will be able to look up callers.
    case lookUpExpected
    /// Whether the host can look up callers.
    case lookUp(Bool)
    case tell(CallID, CallerFacts)
    case shutDown
    case wait(TimerID)
    /// No event outside leads to this input now.
    case impossible(String)
}
