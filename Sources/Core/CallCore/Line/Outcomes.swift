// The outcomes of actions, and the ends of calls: each consequence sees the one before.

import CallModel

extension Line {
    /// Takes the outcome of an action: its provider's answer, or its deadline.
    mutating func complete(_ id: ActionID, _ outcome: Outcome) {
        guard let action = standing.work[id] else { return noteStray(id) }
        if outcome == .timedOut, action.purpose != .notice {
            outbox.append(.timedOut(id, on: action.performed.provider))
        }
        let isAboutLine =
            standing.work[action.performed.transaction]?.isAboutLine == true || action.performed.action.isAboutLine
        if outcome == .timedOut {
            standing.work.noteSilent(action.performed.provider, in: action.performed.transaction)
        }
        let isSilent = outcome == .timedOut && noteSilence(after: action)
        if outcome != .timedOut { noteAnswer(to: action) }
        settle(action, outcome)
        if isSilent, isAboutLine {
            unanswered.append(action.performed)
            forfeit(after: action.performed)
        }
    }

    /// Removes an action, applies its outcome to the call, and wakes the transactions that wait for it.
    ///
    /// - Parameter isOvertaken: whether anything but its provider's answer settled it; the answer may still come.
    mutating func settle(_ action: PendingAction, _ outcome: Outcome, isOvertaken: Bool = false) {
        guard standing.work.settle(action, isOvertaken ? .overtaken : outcome.settles(action)) else { return }
        if action.purpose != .notice {
            noteMove(outcome, of: action)
            applyOutcome(outcome, of: action)
        }
        wake(after: action, outcome)
    }

    /// Remembers what was moved for a transaction, so that its failure can move it back.
    private mutating func noteMove(_ outcome: Outcome, of action: PendingAction) {
        guard case .fulfilled = outcome, case .setHeld(let call, let onHold) = action.performed.action else { return }
        switch action.purpose {
        case .clearing: break
        case .requested: guard standing.calls.standing(of: call)?.group != nil else { return }
        case .compensation, .notice: return
        }
        let moved = Moved(call: call, heldBy: onHold ? nil : action.heldBy, heldFor: onHold ? nil : action.heldFor)
        standing.work.noteMoved(moved, in: action.performed.transaction, displaces: action.purpose == .clearing)
    }

    private mutating func applyOutcome(_ outcome: Outcome, of action: PendingAction) {
        let call = action.call
        let isEnding = standing.calls.standing(of: call)?.state == .ending
        switch (action.performed.action, outcome) {
        case (.start, .providerLost(let event)):
            _ = passOn(call, action.cause.then(event, by: .provider(action.performed.provider)))
        case (_, .providerLost), (_, .callEnded): break
        case (.start, .fulfilled(let date, _)): started(call, at: date, cause: action.cause.then(.fulfilled(.start)))
        case (.answer, .fulfilled(let date, _)):
            let cause = action.cause.then(.fulfilled(.answer))
            standing.calls.connect(call, at: date, .answerFulfilled, cause: cause, now: standing.now)
        case (.start, .refused), (.answer, .refused), (.start, .timedOut), (.answer, .timedOut):
            // The end that is under way decides.
            if isEnding || passOn(action, outcome) { return }
            if outcome == .timedOut { return lose(call, action) }
            if case .refused(let word?, _) = outcome {
                standing.calls.update(call) { $0.networkEnd.detail = word.detail }
            }
            end(call, .failed, cause: standing.failure(outcome, of: action))
        case (.end, .fulfilled(let date, _)): conclude(action, at: date, .fulfilled(.end))
        case (.end, .refused):
            outbox.note(.refusedEnd, .call(call), "the provider refused to end a call; it ended all the same")
            conclude(action, at: 0, .refused(.end))
        case (.end, .timedOut): conclude(action, at: 0, .unanswered(.end))
        case (.setHeld(_, true), .fulfilled): held(call, action)
        case (.setHeld(_, true), .timedOut) where action.purpose == .clearing && !isEnding: lose(call, action)
        case (.setHeld(_, true), .refused), (.setHeld(_, true), .timedOut):
            if standing.isForEmergency(action) { standing.calls.update(call) { $0.refusedEmergency = true } }
            move(call, .holdRefused, cause: standing.failure(outcome, of: action))
        case (.setHeld(_, false), .fulfilled):
            standing.calls.update(call) { $0.heldBy = nil }
            move(call, .resumeFulfilled, cause: action.cause.then(.fulfilled(.resume)))
        case (.setHeld(_, false), .refused), (.setHeld(_, false), .timedOut):
            move(call, .resumeRefused, cause: standing.failure(outcome, of: action))
        case (.setMuted(_, let muted), .fulfilled): standing.calls.update(call) { $0.muted = muted }
        case (.playDTMF(_, let digits, let tone), .fulfilled):
            guard tone == .hardPause else { break }
            standing.calls.update(call) { $0.waitingDigits = $0.waitingDigits.waiting(after: digits) }
        case (.setTranslating(_, let isTranslating, let languages), .fulfilled(_, let engine)):
            let translation = isTranslating ? Translation(languages, by: engine) : nil
            standing.calls.update(call) { $0.translation = translation }
        case (.transfer(_, let target), .fulfilled(let date, _)):
            let cause = action.cause.then(.fulfilled(.transfer))
            end(call, .transferred, at: date, cause: cause)
            if case .call(let other) = target { end(other, .transferred, at: date, cause: cause) }
        case (.answerTransfer(_, let handle), .fulfilled):
            if handle == nil || standing.calls[call]?.transferRequest == handle {
                standing.calls.update(call) { $0.transferRequest = nil }
            }
        case (.setGroup(_, nil), .fulfilled):
            standing.calls.regroup(call, with: nil, cause: standing.joining(action), at: standing.now)
        case (.setGroup, .fulfilled):
            // The call to join may have ended meanwhile: then it joins the remaining members, or is alone.
            let left = action.partners.first { standing.calls.standing(of: $0)?.hasEnded == false }
            guard let left else {
                standing.calls.leaveGroup(call)
                return standing.calls.joinLine(call, cause: standing.joining(action), at: standing.now)
            }
            standing.calls.regroup(call, with: left, cause: standing.joining(action), at: standing.now)
        case (.setMuted, .refused), (.setMuted, .timedOut), (.setGroup, .refused), (.setGroup, .timedOut),
            (.playDTMF, .refused), (.playDTMF, .timedOut), (.setTranslating, .refused),
            (.setTranslating, .timedOut), (.transfer, .refused), (.transfer, .timedOut),
            (.answerTransfer, .refused), (.answerTransfer, .timedOut):
            break
        }
    }

    /// A call whose provider did not answer in time is lost, and its provider is told.
    private mutating func lose(_ call: CallID, _ action: PendingAction) {
        var cause = standing.failure(.timedOut, of: action)
        cause.rule = .noAnswer
        end(call, .timedOut, cause: cause)
        notify(action.performed.provider, .end(call, reason: EndReason.timedOut.rawValue), .noAnswer, for: nil)
    }

    private mutating func held(_ call: CallID, _ action: PendingAction) {
        let cause = action.cause.then(action.purpose == .compensation ? .restored(action.heldBy) : .fulfilled(.hold))
        move(call, .holdFulfilled, cause: cause)
        guard standing.calls.standing(of: call)?.course == .held else { return }
        standing.calls.hold(call, cause)
    }

    /// Notes a completion that comes late or twice. One of an action that was never performed is ignored.
    private mutating func noteStray(_ id: ActionID) {
        guard let entry = standing.work.noteStray(id) else { return }
        switch entry.ending {
        case .overtaken: break
        case .timedOut:
            outbox.note(
                .lateCompletion, .call(entry.call),
                "provider \(entry.provider) completed action \(id.number) after its deadline")
        case .completed:
            outbox.note(
                .doubleCompletion, .call(entry.call), "provider \(entry.provider) completed action \(id.number) twice")
        }
    }

    /// Tells every transaction that waited for `action` how it came out.
    private mutating func wake(after action: PendingAction, _ outcome: Outcome) {
        for id in standing.work.waiting(for: action.id) {
            guard let transaction = standing.work[id], let (awaited, role) = transaction.waitingFor,
                awaited == action.id
            else { continue }
            standing.work.stopWaiting(id)
            switch role {
            case .goal: reachGoal(outcome, of: action, id)
            case .clearing: clearWay(outcome, of: action, id)
            case .compensation: break
            }
            if !transaction.isAboutLine { standing.work.makeRunnable(id) }
        }
    }

    private mutating func reachGoal(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        let kind = action.kind
        switch outcome {
        case .fulfilled:
            switch kind {
            case .start, .answer, .end, .playDTMF, .setTranslating, .setGroup, .transfer, .transferTo,
                .answerTransfer:
                standing.work.goOn(id)
            // The next step shows whether anything is left to do.
            case .setHeld, .setMuted: break
            }
        case .callEnded where kind == .end: standing.work.goOn(id)
        // The next step is to start the call at its new provider.
        case .refused, .timedOut, .providerLost, .callEnded:
            if !standing.isPassedOn(action) { fail(id, standing.error(outcome, of: action.performed)) }
        }
    }

    /// A refused hold stops the work; anything else clears the way, or shows when the next step is worked out. An
    /// emergency call is not stopped, and a call that is ending is no longer in the way.
    private mutating func clearWay(_ outcome: Outcome, of action: PendingAction, _ id: TransactionID) {
        guard case .refused = outcome, action.purpose == .clearing, action.performed.transaction == id,
            action.kind == .setHeld, let call = standing.calls.standing(of: action.call), call.state == .active,
            !standing.isForEmergency(action)
        else { return }
        fail(id, standing.error(outcome, of: action.performed))
    }

    /// Passes an emergency call on that its provider does not start. The provider is told to end it, in case it starts it
    /// after all.
    ///
    /// - Returns: false if the call ends: it is no emergency call, or nobody else reaches the services.
    private mutating func passOn(_ action: PendingAction, _ outcome: Outcome) -> Bool {
        guard action.kind == .start else { return false }
        var cause = standing.failure(outcome, of: action)
        if outcome == .timedOut { cause.by = .deadline(.emergencyStart) }
        guard passOn(action.call, cause) else { return false }
        if outcome == .timedOut {
            notify(
                action.performed.provider, .end(action.call, reason: EndReason.timedOut.rawValue), .noAnswer, for: nil)
        }
        return true
    }

    /// Takes the end that a provider reports of an emergency call before it has started it as a refusal.
    ///
    /// - Returns: false if the call ends.
    mutating func endsStart(_ call: CallStanding, _ cause: Cause) -> Bool {
        guard standing.nextProvider(forStarting: call.id) != nil else { return false }
        guard let start = standing.work.pendingAction(on: call.id, .start) else { return passOn(call.id, cause) }
        settle(start, .refused(reason: ""), isOvertaken: true)
        return true
    }

    /// - Parameter cause: why its provider does not take it.
    mutating func passOn(_ id: CallID, _ cause: Cause) -> Bool {
        guard let next = standing.nextProvider(forStarting: id), let former = standing.calls.standing(of: id)?.provider,
            let transaction = standing.work.transactions.first(where: { $0.starts(id) }),
            case .start(_, let start)? = transaction.current
        else { return false }
        standing.calls.explain(id, cause, at: standing.now)
        withdraw(transaction.following, of: transaction.id, failed: true)
        standing.work.passOver(former, in: transaction.id)
        for action in standing.work.pendingActions(on: id) where action.kind != .start {
            settle(action, .refused(reason: ""), isOvertaken: true)
        }
        standing.calls.update(id) { $0.passOn(start, to: next) }
        standing.calls.explain(
            id, Cause(.passedOn(next.id), by: .arbiter(for: transaction.origin.requester), rule: .emergency),
            at: standing.now)
        noteUndeclaredType(start.handle, next)
        return true
    }

    /// Another provider has come to which a start could go on.
    mutating func hastenEmergencyStarts() {
        for action in standing.work.actions
        where action.kind == .start && standing.nextProvider(forStarting: action.call) != nil {
            hasten(action.id, standing.now.advanced(byMilliseconds: standing.deadlines[.emergencyStart]))
        }
    }

    /// Refuses the requests that wait their turn for this provider.
    mutating func forfeit(after action: PerformedAction) {
        let error = Standing.timedOut(action.provider, action.action)
        let text = error.message + ", so it is asked for nothing that has waited"
        for id in standing.work.queue where standing.isForfeited(id, by: action.provider) {
            fail(id, CallError(error.code, text))
            finish(id)
        }
    }

    /// Refuses also the starts that would go to such a provider now, because a call that began meanwhile has filled another
    /// one.
    ///
    /// - Returns: whether there were any, so that others may have their turn.
    mutating func forfeitAgain() -> Bool {
        let left = unanswered.filter { standing.waiting(for: $0.provider) > 0 }
        for action in left { forfeit(after: action) }
        return !left.isEmpty
    }

    /// Remembers that a provider answered an action of the line. What it asked for itself shows nothing.
    private mutating func noteAnswer(to action: PendingAction) {
        guard standing.isAwaited(action), !standing.isOwn(action),
            let provider = standing.providers[action.performed.provider]
        else { return }
        _ = standing.silence.note(action.kind, of: standing.answerer(provider), answered: true)
    }

    /// Remembers that a provider did not answer, unless it hardly had time.
    ///
    /// - Returns: whether it had.
    private mutating func noteSilence(after action: PendingAction) -> Bool {
        guard standing.isAwaited(action),
            standing.now.uptime - action.askedAt.uptime >= UInt64(standing.deadlines[.urgent]) * 1_000
        else {
            return false
        }
        guard let provider = standing.providers[action.performed.provider],
            standing.silence.note(action.kind, of: standing.answerer(provider), answered: false)
        else { return true }
        outbox.note(
            .silentProvider, .provider(provider.id),
            "the provider did not answer \(action.kind.rawValue) in time; the user's requests no longer wait for that")
        return true
    }

    /// Ends a call: settles its actions, removes it from its group, and brings back what it displaced.
    mutating func end(_ id: CallID, _ reason: EndReason, at date: WallTime = 0, cause: Cause) {
        guard let call = standing.calls.standing(of: id), call.state != .ended else { return }
        standing.calls.end(id, reason, at: date, cause: cause, now: standing.now)
        outbox.announce(.callEnded(id, reason, by: cause.origin))
        outbox.arm(.linger(id), after: .linger)
        let state = call.stateBeforeEnding ?? call.state
        if state == .ringing { outbox.append(.disarm(.ring(id))) }
        if state == .started || state == .connecting { outbox.append(.disarm(.connect(id))) }
        for action in standing.work.pendingActions(on: id) { settle(action, .callEnded) }
        follow(call, endedIn: state, by: cause.origin)
    }

    /// The end action was fulfilled, refused or not answered.
    private mutating func conclude(_ action: PendingAction, at date: WallTime, _ event: Cause.Event) {
        end(action.call, action.endReason, at: date, cause: action.cause.then(event))
    }

    /// Rules 10 and 11. A call that did not have the line when it ended (ringing, held) brings nothing back, nor does one
    /// that was never the user's own (starting, answering): rule 16 restores what its transaction displaced.
    private mutating func follow(_ call: CallStanding, endedIn state: CallState, by origin: Origin) {
        switch state {
        case .ringing, .starting, .answering, .held, .ended, .ending: return
        case .started, .connecting, .active, .holding, .resuming: break
        }
        guard !standing.isShuttingDown else { return }
        switch origin {
        case .user, .policy: bringBack()
        case .remote, .provider, .deadline, .system:
            switch standing.policy.return {
            case .localEnd: owesSuggestion = true
            case .anyEnd: bringBack()
            }
        case .arbiter: break
        }
    }

    /// Rule 10: the call that was displaced last comes back when its turn has come.
    private mutating func bringBack() {
        guard let displaced = standing.calls.situation.lastDisplaced else { return }
        if !standing.work.contains(where: { $0.origin == .autoResume }) {
            standing.work.admit(.autoResume, [.setHeld(displaced.id, false)])
        }
    }

    /// Moves a call to the state to which an event leads, if it is possible.
    mutating func move(_ id: CallID, _ event: CallEvent, cause: Cause) {
        standing.calls.move(id, event, cause: cause, at: standing.now)
    }
}

extension Outcome {
    /// What a later answer to the action will mean. The answer to a notice is not awaited.
    fileprivate func settles(_ action: PendingAction) -> SettledActions.Ending {
        switch self {
        case .fulfilled, .refused: .completed
        case .timedOut: action.purpose == .notice ? .overtaken : .timedOut
        case .providerLost, .callEnded: .overtaken
        }
    }
}
