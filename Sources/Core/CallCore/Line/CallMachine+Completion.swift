// The end of a transaction: its one reply, and the restoring of what it moved.

import CallModel

extension CallMachine {
    /// Rule 16: brings back the calls that were moved for a transaction that failed, the last one first.
    ///
    /// - Returns: false when nothing is left to restore.
    mutating func restoreNext(_ id: TransactionID) -> Bool {
        guard let transaction = work[id], let moved = transaction.moved.last else { return false }
        work.update(id) { $0.moved.removeLast() }
        guard let call = calls.standing(of: moved.call), standing.mayRestore(call, moved, after: transaction) else {
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
            .setHeld(call.id, moved.heldBy != nil), .compensation, standing.forOthers(transaction, rule),
            for: transaction,
            heldBy: moved.heldBy)
        work.update(id) { $0.waitingFor = (action, .compensation) }
        return true
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
            if !standing.isPassedOn(action) { fail(id, standing.error(outcome, of: action.performed)) }
        }
    }

    /// A refused hold stops the work; anything else clears the way, or shows when the next step is worked out. An
    /// emergency call is not stopped, and a call that is ending is no longer in the way.
    private mutating func takeClearing(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        guard case .refused = outcome, action.purpose == .clearing, action.performed.transaction == id,
            action.kind == .setHeld, let call = calls.standing(of: action.call), call.state == .active,
            !standing.isForEmergency(action)
        else { return }
        fail(id, standing.error(outcome, of: action.performed))
    }
}
