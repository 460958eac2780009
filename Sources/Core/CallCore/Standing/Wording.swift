// What an outcome means: the error of a request, and the cause and the reason at a call.

import CallModel

extension Standing {
    /// The error that a caller gets for an action that failed.
    func error(_ outcome: Outcome, of action: PerformedAction) -> CallError {
        let what = "\(action.action.kind.rawValue) of call \(action.action.call)"
        switch outcome {
        case .fulfilled, .refused:
            var (word, reason): (RefusalWord?, String) = (nil, "")
            if case .refused(let refusal, let words) = outcome { (word, reason) = (refusal, words) }
            return CallError(
                .actionFailed, "provider \(action.provider) refused \(what)" + (word.map { " (\($0.rawValue))" } ?? ""),
                reason: reason)
        case .timedOut:
            return Self.timedOut(action.provider, action.action)
        case .providerLost(.providerRestarted):
            return CallError(.actionFailed, "provider \(action.provider) is restarted, \(what) is not done")
        case .providerLost(.providerLeft):
            return CallError(.actionFailed, "provider \(action.provider) left during \(what)")
        case .providerLost:
            return CallError(.providerCrashed, "provider \(action.provider) died during \(what)")
        case .callEnded:
            return endedError(action.action.call) ?? endedByNetworkError(action.action)
                ?? CallError(.alreadyEnded, "call \(action.action.call) ended during \(action.action.kind.rawValue)")
        }
    }

    static func timedOut(_ provider: ProviderID, _ action: CallAction) -> CallError {
        CallError(
            .actionTimedOut,
            "provider \(provider) did not answer \(action.kind.rawValue) of call \(action.call) by its deadline")
    }

    /// The error of an action that its provider is not asked for.
    static func forfeited(_ provider: ProviderID, _ action: CallAction) -> CallError {
        CallError(
            .actionTimedOut,
            "provider \(provider) did not answer what was asked before by its deadline, so it is not asked for "
                + "\(action.kind.rawValue) of call \(action.call)")
    }

    /// The error of a start whose provider reported the end of the call first.
    func endedByNetworkError(_ action: CallAction) -> CallError? {
        guard action.kind == .start, let call = calls[action.call], let reason = call.endReason, reason.isReportable
        else { return nil }
        return CallError(
            .actionFailed,
            "provider \(call.provider) did not start call \(call.id): \(reason.rawValue)\(call.networkEnd.text)")
    }

    /// The error of a transaction whose call ended meanwhile, if the provider is to blame for the end.
    func endedError(_ id: CallID) -> CallError? {
        guard let call = calls[id] else { return nil }
        switch call.endReason {
        case .providerCrashed?:
            return CallError(.providerCrashed, "provider \(call.provider) died, call \(id) ended")
        case .providerRestarted?:
            return CallError(.actionFailed, "provider \(call.provider) is restarted, call \(id) ended")
        case .failed?:
            return CallError(.actionFailed, "call \(id) of provider \(call.provider) failed\(call.networkEnd.text)")
        case .timedOut?:
            return CallError(.actionTimedOut, "provider \(call.provider) did not answer in time, call \(id) ended")
        case .remoteEnded?, .unanswered?, .answeredElsewhere?, .declinedElsewhere?, .localEnded?, .declined?,
            .displaced?, .transferred?, nil:
            return nil
        }
    }

    /// Why an action failed.
    func failure(_ outcome: Outcome, of action: PendingAction) -> Cause {
        let asked = action.performed.action.stateAction
        return outcome == .timedOut
            ? action.cause.then(.unanswered(asked), by: .deadline(DeadlineKind(action.performed.action.kind)))
            : action.cause.then(.refused(asked), by: .provider(action.performed.provider))
    }

    func joining(_ action: PendingAction) -> Cause {
        var cause = action.cause.then(.fulfilled(.group))
        cause.rule = .group
        return cause
    }

    /// What an end will be recorded as: rule 19 and policies displace, a ringing call is declined, everything else ends
    /// locally.
    func endReason(of call: CallStanding, for cause: Cause) -> EndReason {
        switch cause.by {
        case .arbiter, .policy: .displaced
        case .requester, .provider, .remote, .deadline, .system:
            call.state == .ringing && !isShuttingDown ? .declined : .localEnded
        }
    }
}

extension NetworkEnd {
    /// ` (busy)`, or nothing.
    var text: String { detail.map { " (\($0.rawValue))" } ?? "" }
}
