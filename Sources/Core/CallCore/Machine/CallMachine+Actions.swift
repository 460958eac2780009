// Actions on their way to providers, and what their outcomes do to the calls.

import CallModel

extension CallMachine {
    /// Sends an action to its call's provider and moves the call to the state that says so.
    mutating func perform(
        _ action: CallAction, _ purpose: PendingAction.Purpose, rule: UInt32, for transaction: Transaction,
        heldBy holder: HeldBy? = nil
    ) -> ActionID {
        counters.action += 1
        let id = ActionID(counters.action)
        guard let call = calls[action.call] else { return id }
        let published = deadlines[DeadlineKind(action.kind)]
        let patience = isShuttingDown ? deadlines[.urgent] : .max
        // The caller's impatience is no reason not to restore a call.
        let timeout = purpose == .compensation ? nil : transaction.timeout
        let milliseconds = min(published, timeout ?? published, patience)
        var deadline = now.advanced(byMilliseconds: milliseconds)
        if purpose == .clearing, let limit = transaction.urgentUntil, limit.uptime < deadline.uptime {
            deadline = limit.uptime > now.uptime ? limit : now
        }
        let performed = PerformedAction(
            id: id, provider: call.provider, action: action, transaction: transaction.id, deadline: deadline,
            rule: rule,
            part: part(of: action, on: call, purpose, in: transaction))
        let cause = cause(of: action, purpose, rule: rule, for: transaction)
        var partners: [CallID] = []
        if case .setGroup(_, let other?) = action {
            partners = [other] + calls.members(with: other).compactMap { calls[slot: $0]?.id }
        }
        let pending = PendingAction(
            performed, purpose, cause: cause,
            endReason: action.kind == .end ? endReason(of: call, for: cause) : .localEnded,
            heldBy: holder ?? call.heldBy ?? .user, partners: partners)
        actions[id] = pending
        calls.await(pending)
        effects.append(.perform(performed))
        if action.kind == .answer { effects.append(.disarm(.ring(call.id))) }
        if let event = action.eventWhenPerformed { move(call.id, event, cause: cause) }
        return id
    }

    /// Tells a provider what is already so; its answer is not awaited and its silence is not held against it.
    mutating func notify(_ provider: ProviderID, _ action: CallAction, rule: UInt32, for transaction: Transaction?) {
        guard providers[provider]?.isReady == true else { return }
        counters.action += 1
        if transaction == nil { counters.transaction += 1 }
        let performed = PerformedAction(
            id: ActionID(counters.action), provider: provider, action: action,
            transaction: transaction?.id ?? TransactionID(counters.transaction),
            deadline: now.advanced(byMilliseconds: deadlines[DeadlineKind(action.kind)]), rule: rule)
        actions[performed.id] = PendingAction(
            performed, .notice, cause: Cause(.asked(action.deed), by: .system, rule: rule))
        effects.append(.perform(performed))
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
    ///
    /// - Parameter isOvertaken: it was not its provider's answer that settled it; that one may still come.
    mutating func settle(_ action: PendingAction, _ outcome: Outcome, isOvertaken: Bool = false) {
        guard actions.removeValue(forKey: action.id) != nil else { return }
        if action.purpose != .notice { calls.forget(action) }
        settled.note(action.performed, isOvertaken ? .overtaken : outcome.settles(action))
        if action.purpose != .notice {
            noteMove(outcome, of: action)
            applyOutcome(outcome, of: action)
        }
        wake(after: action, outcome)
    }

    /// Remembers what was moved for a transaction, so that its failure can move it back.
    private mutating func noteMove(_ outcome: Outcome, of action: PendingAction) {
        guard case .fulfilled = outcome, case .setHeld(let call, let onHold) = action.performed.action else { return }
        let transaction = action.performed.transaction
        switch action.purpose {
        case .clearing: break
        case .requested: guard calls[call]?.group != nil else { return }
        case .compensation, .notice: return
        }
        transactions.update(transaction) {
            if action.purpose == .clearing { $0.hasDisplaced = true }
            $0.moved.append(Moved(call: call, heldBy: onHold ? nil : action.heldBy))
        }
    }

    private mutating func applyOutcome(_ outcome: Outcome, of action: PendingAction) {
        let call = action.call
        let isEnding = calls.state(of: call) == .ending
        switch (action.performed.action, outcome) {
        case (_, .providerLost), (_, .callEnded): break
        case (.start, .fulfilled(let date, _)): started(call, at: date, cause: action.cause.then(.fulfilled(.start)))
        case (.answer, .fulfilled(let date, _)):
            let moment = clamp(date, for: call)
            calls.update(call) { $0.connectedAt = moment }
            move(call, .answerFulfilled, cause: action.cause.then(.fulfilled(.answer)))
        case (.start, .refused), (.answer, .refused), (.start, .timedOut), (.answer, .timedOut):
            // The end that is under way decides.
            if isEnding { return }
            if outcome == .timedOut { return lose(call, action) }
            end(call, .failed, cause: failure(outcome, of: action))
        case (.end, .fulfilled(let date, _)): conclude(action, at: date, .fulfilled(.end))
        case (.end, .refused):
            note(.refusedEnd, .call(call), "the provider refused to end a call; it ended all the same")
            conclude(action, at: 0, .refused(.end))
        case (.end, .timedOut): conclude(action, at: 0, .unanswered(.end))
        case (.setHeld(_, true), .fulfilled): held(call, action)
        case (.setHeld(_, true), .timedOut) where action.purpose == .clearing && !isEnding: lose(call, action)
        case (.setHeld(_, true), .refused), (.setHeld(_, true), .timedOut):
            if isForEmergency(action) { calls.update(call) { $0.refusedEmergency = true } }
            move(call, .holdRefused, cause: failure(outcome, of: action))
        case (.setHeld(_, false), .fulfilled):
            calls.update(call) { $0.heldBy = nil }
            move(call, .resumeFulfilled, cause: action.cause.then(.fulfilled(.resume)))
        case (.setHeld(_, false), .refused), (.setHeld(_, false), .timedOut):
            move(call, .resumeRefused, cause: failure(outcome, of: action))
        case (.setMuted(_, let muted), .fulfilled): calls.update(call) { $0.muted = muted }
        case (.setTranslating(_, let isTranslating, let languages), .fulfilled(_, let engine)):
            let translation = isTranslating ? Translation(languages, by: engine) : nil
            calls.update(call) { $0.facts = $0.facts.translated(translation) }
        case (.setGroup(_, nil), .fulfilled): regroup(call, with: nil, cause: joining(action))
        case (.setGroup, .fulfilled):
            // The one it was to join may have ended meanwhile: then it joins who is left, or is alone.
            let left = action.partners.first { calls[$0].map { $0.state != .ended } ?? false }
            guard let left else {
                leaveGroup(call)
                return joinLine(call, cause: joining(action))
            }
            regroup(call, with: left, cause: joining(action))
        case (.setMuted, .refused), (.setMuted, .timedOut), (.setGroup, .refused), (.setGroup, .timedOut),
            (.playDTMF, .fulfilled), (.playDTMF, .refused), (.playDTMF, .timedOut), (.setTranslating, .refused),
            (.setTranslating, .timedOut):
            break
        }
    }

    /// Whether the action serves an emergency call.
    func isForEmergency(_ action: PendingAction) -> Bool {
        transactions[action.performed.transaction]?.current.map { calls[$0.call]?.emergency == true } ?? false
    }

    /// A call whose provider did not answer in time is lost, and its provider is told.
    private mutating func lose(_ call: CallID, _ action: PendingAction) {
        var cause = failure(.timedOut, of: action)
        cause.rule = 17
        end(call, .timedOut, cause: cause)
        notify(action.performed.provider, .end(call, reason: EndReason.timedOut.rawValue), rule: 17, for: nil)
    }

    private mutating func held(_ call: CallID, _ action: PendingAction) {
        let cause = action.cause.then(action.purpose == .compensation ? .restored(action.heldBy) : .fulfilled(.hold))
        move(call, .holdFulfilled, cause: cause)
        guard calls.state(of: call) == .held else { return }
        let order = takeOrder()
        calls.update(call) { call in
            call.heldBy = cause.heldBy(of: action.performed.provider)
            call.heldOrder = order
        }
    }

    /// A completion that nobody waits for: late or double. One that was never asked for means nothing.
    private mutating func noteStray(_ id: ActionID) {
        guard let entry = settled[id] else { return }
        switch entry.ending {
        case .overtaken: break
        case .timedOut:
            note(.lateCompletion, .provider(entry.provider), "action \(id.number) was completed after its deadline")
        case .completed:
            note(.doubleCompletion, .provider(entry.provider), "action \(id.number) was completed twice")
        }
        settled.noteAnswer(to: id)
    }

    /// Why an action came to nothing.
    private func failure(_ outcome: Outcome, of action: PendingAction) -> Cause {
        let deed = action.performed.action.deed
        return outcome == .timedOut
            ? action.cause.then(.unanswered(deed), by: .deadline(DeadlineKind(action.performed.action.kind)))
            : action.cause.then(.refused(deed), by: .provider(action.performed.provider))
    }

    private func joining(_ action: PendingAction) -> Cause {
        var cause = action.cause.then(.fulfilled(.group))
        cause.rule = 14
        return cause
    }

    /// What an end will be recorded as: rule 19 and policies displace, a ringing call is declined, everything else ends
    /// locally.
    func endReason(of call: Call, for cause: Cause) -> EndReason {
        switch cause.by {
        case .arbiter, .policy: .displaced
        case .requester, .provider, .remote, .deadline, .system:
            call.state == .ringing && !isShuttingDown ? .declined : .localEnded
        }
    }
}

extension Outcome {
    /// What a later answer to the action will mean. Nobody waits for the answer to a notice.
    fileprivate func settles(_ action: PendingAction) -> SettledActions.Ending {
        switch self {
        case .fulfilled, .refused: .completed
        case .timedOut: action.purpose == .notice ? .overtaken : .timedOut
        case .providerLost, .callEnded: .overtaken
        }
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
        case .start, .setMuted, .setGroup, .playDTMF, .setTranslating: nil
        }
    }
}
