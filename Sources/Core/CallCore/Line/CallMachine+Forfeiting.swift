// Rule 17: what a provider loses that does not answer an action of the line, so that the others do not wait for it twice.

import CallModel

extension CallMachine {
    /// Refuses the requests that wait their turn for this provider.
    mutating func forfeit(after action: PerformedAction) {
        let error = Standing.timedOut(action.provider, action.action)
        let text = error.message + ", so it is asked for nothing that has waited"
        for id in work.queue where standing.isForfeited(id, by: action.provider) {
            fail(id, CallError(error.code, text))
            finish(id)
        }
    }

    /// Refuses also the starts that would go to such a provider now, because a call that began meanwhile has filled another
    /// one.
    ///
    /// - Returns: whether there were any, so that others may have their turn.
    mutating func forfeitAgain() -> Bool {
        let left = unanswered.filter { standing.waiting(for: $0.provider) > 0 }
        for action in left { forfeit(after: action) }
        return !left.isEmpty
    }

    /// Does not ask a provider that let an earlier action of the transaction time out, or, in the way of a user's request,
    /// the last one of this kind: the transaction fails, or the call in its way is lost.
    ///
    /// - Returns: false if the provider is asked.
    mutating func forfeit(
        _ action: CallAction, _ purpose: PendingAction.Purpose, _ decision: Decision, of transaction: Transaction
    ) throws(CallError) -> Bool {
        guard let call = calls.standing(of: action.call), transaction.isAboutLine, !call.emergency,
            transaction.silent.contains(call.provider)
                || purpose == .clearing && transaction.origin.isUsers
                    && standing.patience(with: call.provider, action.kind) == .none
        else { return false }
        guard purpose == .clearing || action.kind == .end else { throw Standing.timedOut(call.provider, action) }
        let cause = Cause(
            .asked(action.stateAction), by: decision.by, rule: decision.rule, newcomer: transaction.current?.call,
            transaction: transaction.id)
        if action.kind == .end {
            end(call.id, standing.endReason(of: call, for: cause), cause: cause)
            notify(call.provider, .end(call.id, reason: ""), .noAnswer, for: nil)
            if purpose == .requested { goOn(transaction.id) }
        } else {
            let silence = Cause(
                .unanswered(action.stateAction), by: .deadline(DeadlineKind(action.kind)), rule: .noAnswer,
                newcomer: transaction.current?.call, transaction: transaction.id)
            end(call.id, .timedOut, cause: silence)
            notify(call.provider, .end(call.id, reason: EndReason.timedOut.rawValue), .noAnswer, for: nil)
        }
        return true
    }
}
