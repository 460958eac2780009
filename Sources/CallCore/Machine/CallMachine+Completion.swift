// The end of a transaction: its one reply, and the restoring of what it displaced.

import CallModel

extension CallMachine {
    /// Rule 16: brings back the calls that were held for a transaction that failed, unless the user acted since.
    ///
    /// - Returns: false when nothing is left to restore.
    mutating func restoreNextDisplaced(_ id: TransactionID) -> Bool {
        guard let transaction = transactions[id], let displaced = transaction.displaced.last else { return false }
        guard let call = calls[displaced], call.state == .held, mayRestore(call, after: transaction) else {
            transactions[id]?.displaced.removeLast()
            return true
        }
        transactions[id]?.displaced.removeLast()
        let swap = transaction.actions.contains { $0.kind == .setHeld }
        let action = perform(
            .setHeld(displaced, false), .compensation, rule: swap ? 12 : 16, for: transaction)
        transactions[id]?.waitingFor = (action, .compensation)
        return true
    }

    private func mayRestore(_ call: Call, after transaction: Transaction) -> Bool {
        let userActed = lastStartOrAnswer > transaction.id || (call.namedBy.map { $0 > transaction.id } ?? false)
        guard !userActed, call.heldBy != .provider else { return false }
        return !calls.values.contains {
            $0.hasLine && ($0.group == nil || $0.group != call.group)
        }
    }

    /// Ends a transaction: one reply, and the queue moves on.
    mutating func finish(_ id: TransactionID) {
        guard let transaction = transactions.removeValue(forKey: id) else { return }
        queue.removeAll { $0 == id }
        if case .providerResume(let provider) = transaction.origin, transaction.failure != nil,
            let call = transaction.actions.first?.call, calls[call]?.state == .held
        {
            // Rule 13: a resume that is refused is taken back at the provider.
            notify(provider, .setHeld(call, true), rule: 13, for: transaction)
        }
        if transaction.origin == .autoResume || transaction.failure != nil { owesSuggestion = true }
        guard let reply = transaction.reply else { return }
        if let failure = transaction.failure {
            replies.append(.reply(reply, .failed(failure)))
        } else {
            replies.append(.reply(reply, .performed(id, transaction.actions.map(\.call))))
        }
    }

    /// Tells every transaction that waited for `action` how it came out.
    mutating func wake(after action: PendingAction, _ outcome: Outcome) {
        let id = action.performed.id
        for waiting in transactions.values.filter({ $0.waitingFor?.action == id }).map(\.id).sorted() {
            guard let role = transactions[waiting]?.waitingFor?.role else { continue }
            transactions[waiting]?.waitingFor = nil
            switch role {
            case .goal: takeGoal(outcome, of: action, waiting)
            case .clearing: takeClearing(outcome, of: action, waiting)
            case .compensation: if outcome != .fulfilled(date: 0) { owesSuggestion = true }
            }
            if queue.first != waiting { runnable.append(waiting) }
        }
    }

    private mutating func takeGoal(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        let kind = action.performed.action.kind
        switch outcome {
        case .fulfilled:
            switch kind {
            case .start, .answer, .end, .playDTMF, .setGroup: transactions[id]?.index += 1
            case .setHeld:
                if case .setHeld(let call, true) = action.performed.action, calls[call]?.group != nil {
                    transactions[id]?.displaced.append(call)
                }
            case .setMuted: break
            }
        case .callEnded where kind == .end: transactions[id]?.index += 1
        case .refused, .timedOut, .providerLost, .callEnded:
            let error = error(outcome, of: action.performed)
            transactions[id]?.failure = error
        }
    }

    /// A refused hold stops the work; anything else clears the way, or shows when the next step is worked out.
    private mutating func takeClearing(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        guard action.purpose == .clearing, action.performed.transaction == id, action.performed.action.kind == .setHeld
        else { return }
        switch outcome {
        case .fulfilled: transactions[id]?.displaced.append(action.call)
        case .refused:
            let error = error(outcome, of: action.performed)
            transactions[id]?.failure = error
        case .timedOut, .providerLost, .callEnded: break
        }
    }

    /// The error that a caller gets for an action that came to nothing.
    private func error(_ outcome: Outcome, of action: PerformedAction) -> CallError {
        let what = "\(action.action.kind.rawValue) of call \(action.action.call)"
        return switch outcome {
        case .fulfilled, .refused: CallError(.actionFailed, "provider \(action.provider) refused \(what)")
        case .timedOut:
            CallError(.actionTimedOut, "provider \(action.provider) did not answer \(what) by its deadline")
        case .providerLost: CallError(.providerCrashed, "provider \(action.provider) died during \(what)")
        case .callEnded: CallError(.alreadyEnded, "call \(action.action.call) ended during \(action.action.kind.rawValue)")
        }
    }
}
