// Actions on their way to providers.

import CallModel

extension CallMachine {
    /// Sends an action to its call's provider and moves the call to the state that says so.
    ///
    /// - Parameter holder: who holds a call that is put back on hold.
    mutating func perform(
        _ action: CallAction, _ purpose: PendingAction.Purpose, _ decision: Decision, for transaction: Transaction,
        heldBy holder: HeldBy? = nil
    ) -> ActionID {
        let id = work.nextActionID()
        guard let call = calls.standing(of: action.call) else { return id }
        if purpose == .clearing, standing.isShort(action, for: transaction) { _ = noteUrgentLimit(of: transaction.id) }
        let performed = PerformedAction(
            id: id, provider: call.provider, action: action, transaction: transaction.id,
            deadline: standing.deadline(of: action, purpose, for: transaction), decision: decision,
            part: part(of: action, on: call, purpose, in: transaction))
        let cause = Cause(
            .asked(action.stateAction), by: decision.by, rule: decision.rule,
            newcomer: purpose == .clearing ? transaction.current?.call : nil, transaction: transaction.id)
        var pending = PendingAction(performed, purpose, at: now, cause: cause)
        if action.kind == .end { pending.endReason = standing.endReason(of: call, for: cause) }
        pending.heldBy = holder ?? call.heldBy ?? .user
        if case .setGroup(_, let other?) = action {
            pending.partners = [other] + calls.members(with: other).map(\.id)
        }
        work.add(pending)
        effects.append(.perform(performed))
        if action.kind == .answer { effects.append(.disarm(.ring(call.id))) }
        if let event = action.eventWhenPerformed { move(call.id, event, cause: cause) }
        return id
    }

    /// Tells a provider a fact. Its answer is not awaited, and a missing one has no consequence.
    mutating func notify(_ provider: ProviderID, _ action: CallAction, _ rule: Rule, for transaction: Transaction?) {
        guard providers[provider]?.isReady == true else { return }
        let decision = Decision(by: .system, rule: rule)
        let performed = PerformedAction(
            id: work.nextActionID(), provider: provider, action: action,
            transaction: transaction?.id ?? work.nextTransactionID(),
            deadline: now.advanced(byMilliseconds: deadlines[DeadlineKind(action.kind)]), decision: decision)
        let cause = Cause(.asked(action.stateAction), by: decision.by, rule: rule)
        work.add(PendingAction(performed, .notice, at: now, cause: cause))
        effects.append(.perform(performed))
    }
}

extension CallAction {
    /// The event of sending the action to its provider.
    fileprivate var eventWhenPerformed: CallEvent? {
        switch self {
        case .answer: .answerPerformed
        case .end: .endPerformed
        case .setHeld(_, true): .holdPerformed
        case .setHeld(_, false): .resumePerformed
        case .start, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer: nil
        }
    }
}
