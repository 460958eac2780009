// Effects: everything that the core asks of its shell.

public import CallModel

/// One thing for the shell to do. An effect that announces a value carries it as it was when the effect was decided,
/// so that later changes do not alter the announcement.
public enum Effect: Sendable, Hashable {
    case perform(PerformedAction)
    /// Tells the provider that its action's deadline has passed.
    case timedOut(ActionID, on: ProviderID)
    /// Tells the provider that the rest of a transaction will not follow: it failed, or the rest is no longer needed.
    case transactionEnded(TransactionID, on: ProviderID, failed: Bool)
    case reply(ReplyID, Reply)
    indirect case callAdded(Call)
    indirect case callChanged(Call, CallChanges)
    case callRemoved(CallID)
    case callEnded(CallID, EndReason, by: Origin)
    /// Looks a caller up; nil if there is no handle. The call waits for `lookedUp`.
    case lookUp(CallID, Handle?)
    /// Asks a screener. The call waits for `screened`.
    case screen(WaitingCall, by: ScreenerID)
    /// A call was kept from ringing, and was never announced.
    case callFiltered(FilteredCall)
    case activeCallChanged(CallID?)
    case resumeSuggested(CallID)
    /// The call that rings aloud.
    case ringingCallChanged(CallID?)
    /// The call that is suggested to be resumed, as long as that makes sense.
    case suggestedResumeChanged(CallID?)
    case anomaly(Anomaly)
    case providerAdded(Provider)
    case providerChanged(Provider)
    case providerRemoved(ProviderID)
    case reset(ProviderID)
    case activateAudio(ProviderID, CallID)
    case deactivateAudio(ProviderID)
    /// Asks the audio agent to make the desktop's sound give way. The provider may wait for `audioPrepared`.
    case prepareAudio(AudioAgentID, ProviderID, CallID, isSwitching: Bool)
    /// Tells the audio agent that no call needs the audio any more.
    case finishAudio(AudioAgentID)
    case audioChanged(AudioGrant)
    case arm(TimerID, at: Instant)
    case disarm(TimerID)
    /// Everything has ended after a shutdown was requested.
    case stop
}

/// One action that a provider is to perform by a deadline. The shell arms `TimerID.action(id)` for it.
public struct PerformedAction: Sendable, Hashable {
    public let id: ActionID
    public let provider: ProviderID
    public let action: CallAction
    public let transaction: TransactionID
    public internal(set) var deadline: Instant
    /// Who decided it, and by which rule.
    public let decision: Decision
    public internal(set) var part = ActionPart.single

    /// Returns a copy with its own action and those that follow replaced.
    public func with(_ replace: (CallAction) -> CallAction) -> PerformedAction {
        let following: ActionPart = if case .first(let actions) = part { .first(actions.map(replace)) } else { part }
        return PerformedAction(
            id: id, provider: provider, action: replace(action), transaction: transaction, deadline: deadline,
            decision: decision, part: following)
    }

    /// The rule that added it; nil for the requested action itself.
    public var rule: Rule? { decision.rule }

    package func with(_ part: ActionPart) -> PerformedAction {
        var copy = self
        copy.part = part
        return copy
    }
}

/// The outcome of a method call.
public enum Reply: Sendable, Hashable {
    case done
    /// The call that a report created.
    case call(CallID)
    /// One call per requested action.
    case performed(TransactionID, [CallID])
    case failed(CallError)
}

/// What was noted and ignored. The text names no identities.
public struct Anomaly: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case lateCompletion = "late-completion"
        case doubleCompletion = "double-completion"
        case undeclaredHandleType = "undeclared-handle-type"
        case refusedEnd = "refused-end"
        case slowAudioRelease = "slow-audio-release"
        case badVerdict = "bad-verdict"
        case slowScreener = "slow-screener"
        case silentProvider = "silent-provider"
        case slowAudioAgent = "slow-audio-agent"
        case audioAgentFailed = "audio-agent-failed"
        case holdStorm = "hold-storm"
        case unentitledEmergency = "unentitled-emergency"
    }
    public enum Subject: Sendable, Hashable {
        case call(CallID)
        case provider(ProviderID)
        case system
    }
    public let kind: Kind
    public let subject: Subject
    public let text: String
}
