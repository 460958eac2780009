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
        let performed = PerformedAction(
            id: id, provider: call.provider, action: action, transaction: transaction.id,
            deadline: deadline(of: action, purpose, for: transaction), decision: decision,
            part: part(of: action, on: call, purpose, in: transaction))
        let cause = Cause(
            .asked(action.stateAction), by: decision.by, rule: decision.rule,
            newcomer: purpose == .clearing ? transaction.current?.call : nil, transaction: transaction.id)
        var pending = PendingAction(performed, purpose, at: now, cause: cause)
        if action.kind == .end { pending.endReason = endReason(of: call, for: cause) }
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

    private mutating func deadline(
        of action: CallAction, _ purpose: PendingAction.Purpose, for transaction: Transaction
    ) -> Instant {
        let mayBePassedOn = action.kind == .start && nextProvider(forStarting: action.call) != nil
        let usual = deadlines[DeadlineKind(action.kind)]
        let published = mayBePassedOn ? min(usual, deadlines[.emergencyStart]) : usual
        let patience = isShuttingDown ? deadlines[.urgent] : .max
        // The caller's timeout does not apply to restoring a call.
        let timeout = purpose == .compensation ? nil : transaction.timeout
        let milliseconds = min(published, timeout ?? published, patience)
        let deadline = now.advanced(byMilliseconds: milliseconds)
        guard purpose == .clearing, let limit = clearingLimit(of: action, for: transaction),
            limit.uptime < deadline.uptime
        else { return deadline }
        return limit.uptime > now.uptime ? limit : now
    }

    /// When a transaction stops waiting for an action that clears its way; nil for the action's deadline.
    private mutating func clearingLimit(of action: CallAction, for transaction: Transaction) -> Instant? {
        if let limit = transaction.urgentUntil { return limit }
        guard transaction.origin.isUsers, let call = calls.standing(of: action.call),
            patience(with: call.provider, action.kind) == .urgent
        else { return nil }
        return urgentLimit(of: transaction.id)
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
