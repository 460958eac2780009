// The outcomes of actions, and their effects on calls.

import CallModel

extension CallMachine {
    /// Takes the outcome of an action: its provider's answer, or its deadline.
    mutating func complete(_ id: ActionID, _ outcome: Outcome) {
        guard let action = work[id] else { return noteStray(id) }
        if outcome == .timedOut, action.purpose != .notice {
            effects.append(.timedOut(id, on: action.performed.provider))
        }
        let isAboutLine =
            work[action.performed.transaction]?.isAboutLine == true || action.performed.action.isAboutLine
        if outcome == .timedOut {
            work.update(action.performed.transaction) { $0.silent.insert(action.performed.provider) }
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
        guard work.remove(action.id) != nil else { return }
        work.settled.note(action.performed, isOvertaken ? .overtaken : outcome.settles(action))
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
        case .requested: guard calls.standing(of: call)?.group != nil else { return }
        case .compensation, .notice: return
        }
        work.update(transaction) {
            if action.purpose == .clearing { $0.hasDisplaced = true }
            $0.moved.append(Moved(call: call, heldBy: onHold ? nil : action.heldBy))
        }
    }

    private mutating func applyOutcome(_ outcome: Outcome, of action: PendingAction) {
        let call = action.call
        let isEnding = calls.standing(of: call)?.state == .ending
        switch (action.performed.action, outcome) {
        case (.start, .providerLost):
            _ = passOn(call, action.cause.then(.providerDied, by: .provider(action.performed.provider)))
        case (_, .providerLost), (_, .callEnded): break
        case (.start, .fulfilled(let date, _)): started(call, at: date, cause: action.cause.then(.fulfilled(.start)))
        case (.answer, .fulfilled(let date, _)):
            let moment = standing.clamp(date, for: call)
            let uptime = now.uptime
            calls.update(call) { $0.connect(at: moment, uptime: uptime) }
            move(call, .answerFulfilled, cause: action.cause.then(.fulfilled(.answer)))
        case (.start, .refused), (.answer, .refused), (.start, .timedOut), (.answer, .timedOut):
            // The end that is under way decides.
            if isEnding || passOn(action, outcome) { return }
            if outcome == .timedOut { return lose(call, action) }
            if case .refused(let word?, _) = outcome { calls.update(call) { $0.networkEnd.detail = word.detail } }
            end(call, .failed, cause: standing.failure(outcome, of: action))
        case (.end, .fulfilled(let date, _)): conclude(action, at: date, .fulfilled(.end))
        case (.end, .refused):
            effects.note(.refusedEnd, .call(call), "the provider refused to end a call; it ended all the same")
            conclude(action, at: 0, .refused(.end))
        case (.end, .timedOut): conclude(action, at: 0, .unanswered(.end))
        case (.setHeld(_, true), .fulfilled): held(call, action)
        case (.setHeld(_, true), .timedOut) where action.purpose == .clearing && !isEnding: lose(call, action)
        case (.setHeld(_, true), .refused), (.setHeld(_, true), .timedOut):
            if standing.isForEmergency(action) { calls.update(call) { $0.refusedEmergency = true } }
            move(call, .holdRefused, cause: standing.failure(outcome, of: action))
        case (.setHeld(_, false), .fulfilled):
            calls.update(call) { $0.heldBy = nil }
            move(call, .resumeFulfilled, cause: action.cause.then(.fulfilled(.resume)))
        case (.setHeld(_, false), .refused), (.setHeld(_, false), .timedOut):
            move(call, .resumeRefused, cause: standing.failure(outcome, of: action))
        case (.setMuted(_, let muted), .fulfilled): calls.update(call) { $0.muted = muted }
        case (.setTranslating(_, let isTranslating, let languages), .fulfilled(_, let engine)):
            let translation = isTranslating ? Translation(languages, by: engine) : nil
            calls.update(call) { $0.translation = translation }
        case (.transfer(_, let target), .fulfilled(let date, _)):
            let cause = action.cause.then(.fulfilled(.transfer))
            end(call, .transferred, at: date, cause: cause)
            if case .call(let other) = target { end(other, .transferred, at: date, cause: cause) }
        case (.answerTransfer(_, let handle), .fulfilled):
            if handle == nil || calls[call]?.transferRequest == handle {
                calls.update(call) { $0.transferRequest = nil }
            }
        case (.setGroup(_, nil), .fulfilled): regroup(call, with: nil, cause: standing.joining(action))
        case (.setGroup, .fulfilled):
            // The call to join may have ended meanwhile: then it joins the remaining members, or is alone.
            let left = action.partners.first { calls.standing(of: $0)?.hasEnded == false }
            guard let left else {
                leaveGroup(call)
                return joinLine(call, cause: standing.joining(action))
            }
            regroup(call, with: left, cause: standing.joining(action))
        case (.setMuted, .refused), (.setMuted, .timedOut), (.setGroup, .refused), (.setGroup, .timedOut),
            (.playDTMF, .fulfilled), (.playDTMF, .refused), (.playDTMF, .timedOut), (.setTranslating, .refused),
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
        guard calls.standing(of: call)?.course == .held else { return }
        let order = calls.nextOrder()
        calls.update(call) { call in
            call.heldBy = cause.heldBy(of: action.performed.provider)
            call.heldOrder = order
        }
    }

    /// Notes a completion that comes late or twice. One of an action that was never performed is ignored.
    private mutating func noteStray(_ id: ActionID) {
        guard let entry = work.settled[id] else { return }
        switch entry.ending {
        case .overtaken: break
        case .timedOut:
            effects.note(
                .lateCompletion, .call(entry.call),
                "provider \(entry.provider) completed action \(id.number) after its deadline")
        case .completed:
            effects.note(
                .doubleCompletion, .call(entry.call), "provider \(entry.provider) completed action \(id.number) twice")
        }
        work.settled.noteAnswer(to: id)
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
