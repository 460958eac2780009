// The end of a transaction: its one reply, and the restoring of what it moved.

import CallModel

extension CallMachine {
    /// Rule 16: brings back the calls that were moved for a transaction that failed, the last one first.
    ///
    /// - Returns: false when nothing is left to restore.
    mutating func restoreNext(_ id: TransactionID) -> Bool {
        guard let transaction = transactions[id], let moved = transactions[id]?.moved.popLast() else { return false }
        guard let call = calls[moved.call], mayRestore(call, moved, after: transaction) else { return true }
        let rule: UInt32 =
            switch transaction.current {
            case .setHeld(_, false)?: 12
            case .setHeld(_, true)?: 15
            case .start?, .answer?, .end?, .setMuted?, .setGroup?, .playDTMF?, .setTranslating?, nil: 16
            }
        let action = perform(
            .setHeld(call.id, moved.heldBy != nil), .compensation, rule: rule, for: transaction, heldBy: moved.heldBy)
        transactions[id]?.waitingFor = (action, .compensation)
        return true
    }

    /// A call gets the line back only if it is free and the user did not act since; it is put back on hold in any case.
    private func mayRestore(_ call: Call, _ moved: Moved, after transaction: Transaction) -> Bool {
        guard moved.heldBy == nil else { return call.state == .active }
        let userActed = lastStartOrAnswer > transaction.id || (call.namedBy.map { $0 > transaction.id } ?? false)
        guard !userActed, call.state == .held, call.heldBy != .provider else { return false }
        return !calls.line.contains { $0.id != call.id && ($0.group == nil || $0.group != call.group) }
    }

    /// Ends a transaction: one reply to each who waits for it, and the queue moves on.
    mutating func finish(_ id: TransactionID) {
        guard let transaction = transactions.removeValue(forKey: id) else { return }
        queue.removeAll { $0 == id }
        if !transaction.foreseen.isEmpty { withdraw(transaction.foreseen, of: id, failed: false) }
        if case .providerResume(let provider) = transaction.origin, transaction.failure != nil,
            let call = transaction.actions.first?.call, calls.state(of: call) == .held
        {
            // Rule 13: a resume that is refused is taken back at the provider.
            notify(provider, .setHeld(call, true), rule: 13, for: transaction)
        }
        if transaction.origin == .autoResume || (transaction.failure != nil && transaction.hasDisplaced) {
            owesSuggestion = true
        }
        if let waiter = transaction.waiter { answer(waiter, transaction) }
        for waiter in transaction.moreWaiters { answer(waiter, transaction) }
    }

    private mutating func answer(_ waiter: Waiter, _ transaction: Transaction) {
        if let failure = transaction.failure {
            effects.append(.reply(waiter.reply, .failed(failure)))
        } else {
            effects.append(.reply(waiter.reply, .performed(waiter.transaction, transaction.actions.map(\.call))))
        }
    }

    /// Tells every transaction that waited for `action` how it came out.
    mutating func wake(after action: PendingAction, _ outcome: Outcome) {
        var last = TransactionID(0)
        while let waiting = firstWaiting(for: action.id, after: last) {
            last = waiting
            guard let role = transactions[waiting]?.waitingFor?.role,
                let isAboutLine = transactions[waiting]?.isAboutLine
            else { continue }
            transactions.update(waiting) { $0.waitingFor = nil }
            switch role {
            case .goal: takeGoal(outcome, of: action, waiting)
            case .clearing: takeClearing(outcome, of: action, waiting)
            case .compensation: break
            }
            if !isAboutLine { runnable.append(waiting) }
        }
    }

    private func firstWaiting(for action: ActionID, after last: TransactionID) -> TransactionID? {
        var found: TransactionID?
        transactions.forEach { transaction in
            guard transaction?.waitingFor?.action == action, let id = transaction?.id, id > last else { return }
            if found.map({ id < $0 }) ?? true { found = id }
        }
        return found
    }

    private mutating func takeGoal(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        let kind = action.kind
        switch outcome {
        case .fulfilled:
            switch kind {
            case .start, .answer, .end, .playDTMF, .setTranslating, .setGroup: goOn(id)
            // The next look at the world shows whether anything is left to do.
            case .setHeld, .setMuted: break
            }
        case .callEnded where kind == .end: goOn(id)
        case .refused, .timedOut, .providerLost, .callEnded: fail(id, error(outcome, of: action.performed))
        }
    }

    /// A refused hold stops the work; anything else clears the way, or shows when the next step is worked out. An
    /// emergency call is not stopped, and a call that is ending is no longer in the way.
    private mutating func takeClearing(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        guard case .refused = outcome, action.purpose == .clearing, action.performed.transaction == id,
            action.kind == .setHeld, let call = calls[action.call], call.state == .active,
            !isForEmergency(action)
        else { return }
        fail(id, error(outcome, of: action.performed))
    }

    /// The error that a caller gets for an action that came to nothing.
    private func error(_ outcome: Outcome, of action: PerformedAction) -> CallError {
        let what = "\(action.action.kind.rawValue) of call \(action.action.call)"
        switch outcome {
        case .fulfilled, .refused:
            var reason = ""
            if case .refused(let words) = outcome { reason = words }
            return CallError(.actionFailed, "provider \(action.provider) refused \(what)", reason: reason)
        case .timedOut:
            return CallError(.actionTimedOut, "provider \(action.provider) did not answer \(what) by its deadline")
        case .providerLost:
            return CallError(.providerCrashed, "provider \(action.provider) died during \(what)")
        case .callEnded:
            return endedError(action.action.call)
                ?? CallError(.alreadyEnded, "call \(action.action.call) ended during \(action.action.kind.rawValue)")
        }
    }

    /// What a transaction under way is told of a call that ended beneath it, if its provider is to blame.
    func endedError(_ id: CallID) -> CallError? {
        guard let call = calls[id] else { return nil }
        switch call.endReason {
        case .providerCrashed?:
            return CallError(.providerCrashed, "provider \(call.provider) died, call \(id) ended")
        case .failed?: return CallError(.actionFailed, "call \(id) of provider \(call.provider) failed")
        case .timedOut?:
            return CallError(.actionTimedOut, "provider \(call.provider) did not answer in time, call \(id) ended")
        case .remoteEnded?, .unanswered?, .answeredElsewhere?, .declinedElsewhere?, .localEnded?, .declined?,
            .displaced?,
            nil:
            return nil
        }
    }
}
