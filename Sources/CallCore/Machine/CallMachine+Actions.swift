// Actions on their way to providers, and what their outcomes do to the calls.

import CallModel

extension CallMachine {
    /// Sends an action to its call's provider and moves the call to the state that says so.
    mutating func perform(
        _ action: CallAction, _ purpose: PendingAction.Purpose, rule: UInt32, for transaction: Transaction
    ) -> ActionID {
        counters.action += 1
        let id = ActionID(counters.action)
        guard let call = calls[action.call] else { return id }
        let published = deadlines[DeadlineKind(action.kind)]
        let milliseconds = min(published, transaction.timeout ?? published, emergencyLimit(transaction))
        let performed = PerformedAction(
            id: id, provider: call.provider, action: action, transaction: transaction.id,
            deadline: now.advanced(byMilliseconds: milliseconds), rule: rule)
        var pending = PendingAction(performed: performed, purpose: purpose)
        pending.heldBy = purpose == .clearing ? .arbiter : heldBy(for: transaction, call: call.id)
        if action.kind == .end { pending.ending = ending(of: call, rule: rule) }
        actions[id] = pending
        effects.append(.perform(performed))
        let asker = purpose == .requested ? describe(transaction.origin) : "transaction t\(transaction.id.number)"
        let reason = rule == 0 ? "asked by \(asker)" : "rule \(rule), for \(asker)"
        if let event = action.eventWhenPerformed { move(call.id, event, cause: "\(action.kind.rawValue): \(reason)") }
        return id
    }

    /// Tells a provider what is already so; its answer is not awaited and its silence is not held against it.
    mutating func notify(_ provider: ProviderID, _ action: CallAction, rule: UInt32, for transaction: Transaction?) {
        guard providers[provider]?.isReady == true else { return }
        counters.action += 1
        let performed = PerformedAction(
            id: ActionID(counters.action), provider: provider, action: action,
            transaction: transaction?.id ?? TransactionID(counters.transaction),
            deadline: now.advanced(byMilliseconds: deadlines[DeadlineKind(action.kind)]), rule: rule)
        actions[performed.id] = PendingAction(performed: performed, purpose: .notice)
        effects.append(.perform(performed))
    }

    /// An emergency call waits for nobody longer than a second.
    private func emergencyLimit(_ transaction: Transaction) -> UInt32 {
        guard let action = transaction.current, calls[action.call]?.emergency == true else { return .max }
        return action.kind == .start ? 1_000 : .max
    }

    /// Takes in how an action came out: from its provider, or by its deadline.
    mutating func complete(_ id: ActionID, _ outcome: Outcome) {
        guard let action = actions[id] else { return noteStray(id) }
        if outcome == .timedOut, action.purpose != .notice {
            effects.append(.timedOut(id, on: action.performed.provider))
        }
        settle(action, outcome)
    }

    /// Removes an action, applies its outcome to the call, and wakes who waited for it.
    mutating func settle(_ action: PendingAction, _ outcome: Outcome) {
        guard actions.removeValue(forKey: action.performed.id) != nil else { return }
        settled.note(action.performed, timedOut: outcome == .timedOut)
        if action.purpose != .notice { applyOutcome(outcome, of: action) }
        wake(after: action, outcome)
    }

    private mutating func applyOutcome(_ outcome: Outcome, of action: PendingAction) {
        let call = action.call
        switch (action.performed.action, outcome) {
        case (_, .providerLost), (_, .callEnded): break
        case (.start, .fulfilled(let date)): started(call, at: date)
        case (.answer, .fulfilled(let date)):
            let moment = clamp(date, for: call)
            calls[call]?.connectedAt = moment
            move(call, .answerFulfilled, cause: "answered")
        case (.start, .refused), (.answer, .refused):
            end(call, .failed, by: .provider, cause: "its provider refused it")
        case (.start, .timedOut), (.answer, .timedOut): lose(call, action)
        case (.end, .fulfilled(let date)): conclude(action, at: date)
        case (.end, .refused):
            note(.refusedEnd, .call(call), "the provider refused to end a call; it ended all the same")
            conclude(action, at: 0)
        case (.end, .timedOut): conclude(action, at: 0)
        case (.setHeld(_, true), .fulfilled): held(call, by: action.heldBy)
        case (.setHeld(_, true), .timedOut) where action.purpose == .clearing: lose(call, action)
        case (.setHeld(_, true), .refused), (.setHeld(_, true), .timedOut):
            move(call, .holdRefused, cause: "the hold came to nothing")
        case (.setHeld(_, false), .fulfilled):
            calls[call]?.heldBy = nil
            move(call, .resumeFulfilled, cause: "resumed")
        case (.setHeld(_, false), .refused), (.setHeld(_, false), .timedOut):
            move(call, .resumeRefused, cause: "the resume came to nothing")
        case (.setMuted(_, let muted), .fulfilled): calls[call]?.muted = muted
        case (.setGroup(_, let other), .fulfilled): regroup(call, with: other)
        case (.setMuted, .refused), (.setMuted, .timedOut), (.setGroup, .refused), (.setGroup, .timedOut),
            (.playDTMF, .fulfilled), (.playDTMF, .refused), (.playDTMF, .timedOut):
            break
        }
    }

    /// A call whose provider did not answer in time is lost, and its provider is told.
    private mutating func lose(_ call: CallID, _ action: PendingAction) {
        let what = action.performed.action.kind.rawValue
        end(call, .timedOut, by: .deadline, cause: "\(what) was not answered by its deadline (rule 17)")
        notify(action.performed.provider, .end(call, reason: EndReason.timedOut.rawValue), rule: 17, for: nil)
    }

    private mutating func held(_ call: CallID, by holder: HeldBy) {
        calls[call]?.heldBy = holder
        let order = takeOrder()
        calls[call]?.heldOrder = order
        move(call, .holdFulfilled, cause: "held by \(holder.rawValue)")
    }

    /// A completion that nobody waits for: late or double. One that was never asked for means nothing.
    private mutating func noteStray(_ id: ActionID) {
        guard let entry = settled[id] else { return }
        if entry.timedOut {
            note(.lateCompletion, .provider(entry.provider), "action \(id.number) was completed after its deadline")
        } else {
            note(.doubleCompletion, .provider(entry.provider), "action \(id.number) was completed twice")
        }
    }

    func heldBy(for transaction: Transaction, call: CallID) -> HeldBy {
        switch transaction.origin {
        case .request(.provider(let provider)) where calls[call]?.provider == provider: .provider
        case .request: .user
        case .autoResume, .providerResume: .arbiter
        }
    }

    /// What an end will be recorded as: rule 19 displaces, a ringing call is declined, everything else ends locally.
    private func ending(of call: Call, rule: UInt32) -> (EndReason, Origin) {
        if isShuttingDown { return (.localEnded, .system) }
        if rule == 19 { return (.displaced, .arbiter) }
        return (call.state == .ringing ? .declined : .localEnded, .user)
    }
}

extension CallAction {
    /// The event that sending the action is for its call.
    fileprivate var eventWhenPerformed: CallEvent? {
        switch self {
        case .answer: .answerPerformed
        case .end: .endPerformed
        case .setHeld(_, true): .holdPerformed
        case .setHeld(_, false): .resumePerformed
        case .start, .setMuted, .setGroup, .playDTMF: nil
        }
    }
}
