// The end of a call: the same steps, whether the user, a provider, a rule or a deadline ends it.

import CallModel

extension CallMachine {
    /// Ends a call: settles its actions, removes it from its group, and brings back what it displaced.
    mutating func end(_ id: CallID, _ reason: EndReason, at date: UInt64 = 0, cause: Cause) {
        guard let call = calls.standing(of: id), call.state != .ended else { return }
        leaveGroup(id)
        let moment = standing.clamp(date, for: id)
        let origin = cause.origin
        calls.update(id) { call in
            call.endedAt = moment
            call.endReason = reason
            call.endedBy = origin
            call.heldBy = nil
        }
        move(id, .ended, cause: cause)
        effects.announce(.callEnded(id, reason, by: origin))
        effects.arm(.linger(id), after: .linger)
        let state = call.stateBeforeEnding ?? call.state
        if state == .ringing { effects.append(.disarm(.ring(id))) }
        if state == .started || state == .connecting { effects.append(.disarm(.connect(id))) }
        for action in work.pendingActions(on: id) { settle(action, .callEnded) }
        follow(call, endedIn: state, by: origin)
    }

    /// The end action was fulfilled, refused or not answered.
    mutating func conclude(_ action: PendingAction, at date: UInt64, _ event: Cause.Event) {
        end(action.call, action.endReason, at: date, cause: action.cause.then(event))
    }

    /// Rules 10 and 11. A call that did not have the line when it ended (ringing, held) brings nothing back, nor does one
    /// that was never the user's own (starting, answering): rule 16 restores what its transaction displaced.
    private mutating func follow(_ call: CallStanding, endedIn state: CallState, by origin: Origin) {
        switch state {
        case .ringing, .starting, .answering, .held, .ended, .ending: return
        case .started, .connecting, .active, .holding, .resuming: break
        }
        guard !isShuttingDown else { return }
        switch origin {
        case .user, .policy: bringBack()
        case .remote, .provider, .deadline, .system:
            switch policy.return {
            case .localEnd: owesSuggestion = true
            case .anyEnd: bringBack()
            }
        case .arbiter: break
        }
    }

    /// Rule 10: the call that was displaced last comes back when its turn has come.
    private mutating func bringBack() {
        guard let displaced = calls.situation.lastDisplaced else { return }
        if !work.contains(where: { $0.origin == .autoResume }) {
            admit(.autoResume, [.setHeld(displaced.id, false)])
        }
    }

    /// Rule 11: suggests a call to resume, once nothing else is under way.
    mutating func suggestResume(in situation: Situation) {
        guard owesSuggestion, work.queue.isEmpty, !situation.line.contains(where: { $0.state == .ending }) else {
            return
        }
        owesSuggestion = false
        guard situation.line.isEmpty, let displaced = situation.lastDisplaced else { return }
        effects.announce(.resumeSuggested(displaced.id))
        guard suggestedResume != displaced.id else { return }
        suggestedResume = displaced.id
        effects.announce(.suggestedResumeChanged(displaced.id))
    }

    /// Ends a call that was not answered.
    mutating func ringingTimedOut(_ id: CallID) {
        guard let call = calls.standing(of: id), call.state == .ringing else { return }
        guard !work.contains(where: { $0.actions.contains(.answer(id)) }) else {
            effects.arm(.ring(id), after: .answer)
            return
        }
        end(id, .unanswered, cause: Cause(.notTaken, by: .deadline(.ring)))
        notify(call.provider, .end(id, reason: EndReason.unanswered.rawValue), .noAnswer, for: nil)
    }

    mutating func connectingTimedOut(_ id: CallID) {
        guard let call = calls.standing(of: id), call.state == .started || call.state == .connecting else { return }
        end(id, .unanswered, cause: Cause(.notTaken, by: .deadline(.connect)))
        notify(call.provider, .end(id, reason: EndReason.unanswered.rawValue), .noAnswer, for: nil)
    }

    mutating func removeEnded(_ id: CallID) {
        guard calls.standing(of: id)?.hasEnded == true else { return }
        calls.removeEnded(id)
        effects.append(.callRemoved(id))
    }

    mutating func silenceRinging() {
        for call in calls.situation.ringing { calls.update(call.id) { $0.silenced = true } }
    }

    /// Ends every call in order; `stop` follows when the last has ended.
    mutating func shutDown() {
        guard !isShuttingDown else { return }
        isShuttingDown = true
        dropWaiting()
        for call in calls.live { admit(.shutdown, [.end(call.id, reason: "")]) }
    }

    mutating func stopIfDone() {
        guard isShuttingDown, !hasStopped, work.transactions.isEmpty, calls.liveCount == 0 else { return }
        hasStopped = true
        effects.announce(.stop)
    }
}
