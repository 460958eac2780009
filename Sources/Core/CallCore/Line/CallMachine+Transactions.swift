// Carries a transaction out step by step: work out the next step, take it, wait for its outcome, repeat.
//
// No plan outlives an outcome: after each one the next step is worked out anew.

import CallModel

extension CallMachine {
    mutating func advance(_ id: TransactionID) {
        /// The action for which the line was cleared all at once.
        var cleared: Int?
        while let transaction = work[id], !transaction.isWaiting {
            guard transaction.failure == nil else {
                guard restoreNext(id) else { return finish(id) }
                continue
            }
            guard let action = transaction.current else { return finish(id) }
            do throws(CallError) {
                switch try standing.nextStep(for: action, of: transaction, isCleared: cleared == transaction.index) {
                case .done: goOn(id)
                case .wait(let awaited, let role): return wait(for: awaited, role, transaction)
                case .begin(let call): begin(call, transaction)
                case .cancel(let call, let decision, let newcomer):
                    endUnperformed(call, decision, for: transaction, newcomer: newcomer)
                    if newcomer == nil { goOn(id) }
                case .claim(let group, let cause):
                    claimHold(of: group, cause)
                    goOn(id)
                case .clearForEmergency(let clearances):
                    if let awaited = clearForEmergency(clearances, transaction) {
                        return wait(for: awaited, .clearing, transaction)
                    }
                    cleared = transaction.index
                case .perform(let action, let purpose, let decision, let partner):
                    if let partner { work.update(id) { $0.partner = partner } }
                    try standing.giveWay(purpose, of: transaction)
                    if try forfeit(action, purpose, decision, of: transaction) { continue }
                    let performed = perform(action, purpose, decision, for: transaction)
                    let role: Transaction.Role = purpose == .requested ? .goal : .clearing
                    return wait(id, for: performed, role)
                }
            } catch {
                fail(id, error)
            }
        }
    }

    /// Waits for an action that is under way already. A user's request does not wait long for one in its way.
    private mutating func wait(for awaited: ActionID, _ role: Transaction.Role, _ transaction: Transaction) {
        wait(transaction.id, for: awaited, role)
        if role == .clearing, transaction.origin.isUsers, let action = work[awaited] {
            hasten(action, for: transaction.id)
        }
    }

    private mutating func wait(_ id: TransactionID, for action: ActionID, _ role: Transaction.Role) {
        work.update(id) {
            $0.waitingFor = (action, role)
            $0.hasBegunAction = true
        }
    }

    /// The current action is done: what was moved for it stays as it is now.
    mutating func goOn(_ id: TransactionID) {
        work.update(id) {
            $0.index += 1
            $0.hasBegunAction = false
            $0.partner = nil
            $0.moved = []
            $0.urgentUntil = nil
        }
    }

    /// Ends the work on a transaction. A call that it was to start, and that its provider does not know, ends with it.
    mutating func fail(_ id: TransactionID, _ error: CallError) {
        guard let transaction = work[id], let action = transaction.current else { return }
        // A later action of a call that had ended before its turn is simply too late.
        let endedMeanwhile = error.code == .alreadyEnded && (transaction.index == 0 || transaction.hasBegunAction)
        let error = endedMeanwhile ? standing.endedError(action.call) ?? error : error
        work.update(id) {
            $0.failure = error
            $0.following = []
        }
        withdraw(transaction.following, of: id, failed: true)
        // With its provider it ends as all of that provider's calls do.
        let isHere = calls.standing(of: action.call).map { providers[$0.provider]?.isReady == true } ?? false
        if action.kind == .start, isHere, standing.isUnperformedStart(action.call) {
            let agent = Cause.Agent.arbiter(for: transaction.origin.requester)
            end(action.call, .failed, cause: Cause(.notStarted(error), by: agent, transaction: id))
        }
    }

    /// A call that is started comes into being, before what is in its way is held.
    private mutating func begin(_ call: Call, _ transaction: Transaction) {
        if let handle = call.handle, let provider = providers[call.provider] { noteUndeclaredType(handle, provider) }
        if let owner = transaction.owner, !call.emergency { countNewCall(of: owner) }
        add(call, cause: Cause(.asked(.start), by: transaction.origin.agent, transaction: transaction.id))
        lookUp(call.id)
    }

    /// A user's hold of calls that are on hold already makes the hold the user's.
    mutating func claimHold(of group: [CallStanding], _ cause: Cause) {
        for call in group where call.isOnHold && cause.heldBy(of: call.provider) == .user && call.heldBy != .user {
            calls.update(call.id) { $0.heldBy = .user }
            explain(call.id, cause)
        }
    }

    /// Ends a call that its provider does not know yet.
    mutating func endUnperformed(
        _ id: CallID, _ decision: Decision, for transaction: Transaction, newcomer: CallID? = nil
    ) {
        guard let call = calls.standing(of: id) else { return }
        let cause = Cause(
            .cancelled, by: decision.by, rule: decision.rule, newcomer: newcomer, transaction: transaction.id)
        end(id, standing.endReason(of: call, for: cause), cause: cause)
    }
}
