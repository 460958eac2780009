// The end of a transaction: its one reply, and the restoring of what it moved.

import CallModel

extension CallMachine {
    /// Rule 16: brings back the calls that were moved for a transaction that failed, the last one first.
    ///
    /// - Returns: false when nothing is left to restore.
    mutating func restoreNext(_ id: TransactionID) -> Bool {
        guard let transaction = work[id], let moved = transaction.moved.last else { return false }
        work.update(id) { $0.moved.removeLast() }
        guard let call = calls.standing(of: moved.call), mayRestore(call, moved, after: transaction) else {
            return true
        }
        let rule: Rule =
            switch transaction.current {
            case .setHeld(_, false)?: .swap
            case .setHeld(_, true)?: .wholeGroup
            case .start?, .answer?, .end?, .setMuted?, .setGroup?, .playDTMF?, .setTranslating?, .transfer?,
                .answerTransfer?, nil:
                .compensation
            }
        let action = perform(
            .setHeld(call.id, moved.heldBy != nil), .compensation, forOthers(transaction, rule), for: transaction,
            heldBy: moved.heldBy)
        work.update(id) { $0.waitingFor = (action, .compensation) }
        return true
    }

    /// A call gets the line back only if it is free and the user did not act since; it is put back on hold in any case.
    private func mayRestore(_ call: CallStanding, _ moved: Moved, after transaction: Transaction) -> Bool {
        guard moved.heldBy == nil else { return call.state == .active }
        let userActed = work.lastStartOrAnswer > transaction.id || (call.namedBy.map { $0 > transaction.id } ?? false)
        guard !userActed, call.state == .held, call.heldBy != .provider else { return false }
        return !calls.situation.line.contains { $0.id != call.id && ($0.group == nil || $0.group != call.group) }
    }

    /// Ends a transaction: each request that waits for it gets its one reply, and the queue moves on.
    mutating func finish(_ id: TransactionID) {
        guard let transaction = work.remove(id) else { return }
        withdraw(transaction.following, of: id, failed: false)
        if case .providerResume(let provider) = transaction.origin, transaction.failure != nil,
            let call = transaction.actions.first?.call, calls.standing(of: call)?.state == .held
        {
            // Rule 13: a resume that is refused is taken back at the provider.
            notify(provider, .setHeld(call, true), .network, for: transaction)
        }
        if transaction.origin == .adoption, transaction.failure != nil, let call = transaction.actions.first?.call {
            endUnadopted(call)
        }
        if transaction.origin == .autoResume || (transaction.failure != nil && transaction.hasDisplaced) {
            owesSuggestion = true
        }
        for waiter in transaction.waiters {
            let done = Reply.performed(waiter.transaction, transaction.actions.map(\.call))
            effects.reply(waiter.reply, transaction.failure.map { .failed($0) } ?? done)
        }
    }

    /// Tells every transaction that waited for `action` how it came out.
    mutating func wake(after action: PendingAction, _ outcome: Outcome) {
        for id in work.waiting(for: action.id) {
            guard let transaction = work[id], let (awaited, role) = transaction.waitingFor, awaited == action.id
            else { continue }
            work.update(id) { $0.waitingFor = nil }
            switch role {
            case .goal: takeGoal(outcome, of: action, id)
            case .clearing: takeClearing(outcome, of: action, id)
            case .compensation: break
            }
            if !transaction.isAboutLine { work.makeRunnable(id) }
        }
    }

    private mutating func takeGoal(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        let kind = action.kind
        switch outcome {
        case .fulfilled:
            switch kind {
            case .start, .answer, .end, .playDTMF, .setTranslating, .setGroup, .transfer, .transferTo,
                .answerTransfer:
                goOn(id)
            // The next step shows whether anything is left to do.
            case .setHeld, .setMuted: break
            }
        case .callEnded where kind == .end: goOn(id)
        // The next step is to start the call at its new provider.
        case .refused, .timedOut, .providerLost, .callEnded:
            if !isPassedOn(action) { fail(id, error(outcome, of: action.performed)) }
        }
    }

    /// A refused hold stops the work; anything else clears the way, or shows when the next step is worked out. An
    /// emergency call is not stopped, and a call that is ending is no longer in the way.
    private mutating func takeClearing(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        guard case .refused = outcome, action.purpose == .clearing, action.performed.transaction == id,
            action.kind == .setHeld, let call = calls.standing(of: action.call), call.state == .active,
            !isForEmergency(action)
        else { return }
        fail(id, error(outcome, of: action.performed))
    }

    /// The error that a caller gets for an action that failed.
    private func error(_ outcome: Outcome, of action: PerformedAction) -> CallError {
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

    /// The error of a start whose provider reported the end of the call first.
    private func endedByNetworkError(_ action: CallAction) -> CallError? {
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
        case .failed?:
            return CallError(.actionFailed, "call \(id) of provider \(call.provider) failed\(call.networkEnd.text)")
        case .timedOut?:
            return CallError(.actionTimedOut, "provider \(call.provider) did not answer in time, call \(id) ended")
        case .remoteEnded?, .unanswered?, .answeredElsewhere?, .declinedElsewhere?, .localEnded?, .declined?,
            .displaced?, .transferred?, nil:
            return nil
        }
    }
}
