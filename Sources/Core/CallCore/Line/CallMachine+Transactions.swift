// Carries a transaction out step by step: work out the next step, take it, wait for its outcome, repeat.
//
// No plan outlives an outcome: after each one the next step is worked out anew.

import CallModel

extension CallMachine {
    /// The next step of a transaction.
    enum Step {
        case done
        case wait(ActionID, Transaction.Role)
        case perform(CallAction, PendingAction.Purpose, Decision)
    }

    mutating func advance(_ id: TransactionID) {
        while let transaction = work[id], !transaction.isWaiting {
            guard transaction.failure == nil else {
                guard restoreNext(id) else { return finish(id) }
                continue
            }
            guard let action = transaction.current else { return finish(id) }
            do throws(CallError) {
                switch try nextStep(for: action, of: transaction) {
                case .done: goOn(id)
                case .wait(let awaited, let role):
                    wait(id, for: awaited, role)
                    if role == .clearing, transaction.origin.isUsers, let action = work[awaited] {
                        hasten(action, for: id)
                    }
                    return
                case .perform(let action, let purpose, let decision):
                    try giveWay(purpose, of: transaction)
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
        let error = endedMeanwhile ? endedError(action.call) ?? error : error
        work.update(id) {
            $0.failure = error
            $0.following = []
        }
        withdraw(transaction.following, of: id, failed: true)
        // With its provider it ends as all of that provider's calls do.
        let isHere = calls.standing(of: action.call).map { providers[$0.provider]?.isReady == true } ?? false
        if action.kind == .start, isHere, isUnperformedStart(action.call) {
            let agent = Cause.Agent.arbiter(for: transaction.origin.requester)
            end(action.call, .failed, cause: Cause(.notStarted(error), by: agent, transaction: id))
        }
    }
}
