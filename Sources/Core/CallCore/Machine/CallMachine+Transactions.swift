// A transaction goes step by step: look at the world, do the next thing, wait for its outcome, look again.
//
// No plan outlives an outcome: after each one the next step is worked out anew. A call in the way that ended meanwhile
// is simply no longer in the way.

import CallModel

extension CallMachine {
    /// The next thing for a transaction to do.
    enum Step {
        case done
        case wait(ActionID, Transaction.Role)
        case perform(CallAction, PendingAction.Purpose, rule: UInt32)
    }

    mutating func advance(_ id: TransactionID) {
        while transactions[id]?.isWaiting == false, let transaction = transactions[id] {
            guard transaction.failure == nil else {
                guard restoreNext(id) else { return finish(id) }
                continue
            }
            guard let action = transaction.current else { return finish(id) }
            do throws(CallError) {
                switch try nextStep(for: action, of: transaction) {
                case .done: goOn(id)
                case .wait(let awaited, let role): return transactions.update(id) { $0.waitingFor = (awaited, role) }
                case .perform(let action, let purpose, let rule):
                    let performed = perform(action, purpose, rule: rule, for: transaction)
                    let role: Transaction.Role = purpose == .requested ? .goal : .clearing
                    return transactions.update(id) { $0.waitingFor = (performed, role) }
                }
            } catch {
                fail(id, error)
            }
        }
    }

    /// The current action is done: what was moved for it stays as it is now.
    mutating func goOn(_ id: TransactionID) {
        transactions.update(id) {
            $0.index += 1
            $0.moved = []
            $0.urgentUntil = nil
        }
    }

    /// Ends the work on a transaction. A call that it was to start, and that its provider knows nothing of, ends with it.
    mutating func fail(_ id: TransactionID, _ error: CallError) {
        guard let action = transactions[id]?.current else { return }
        let error = error.code == .alreadyEnded ? endedError(action.call) ?? error : error
        let foreseen = transactions[id]?.foreseen ?? []
        transactions[id]?.failure = error
        if !foreseen.isEmpty {
            transactions.update(id) { $0.foreseen = [] }
            withdraw(foreseen, of: id, failed: true)
        }
        // With its provider it ends as all of that provider's calls do.
        let isHere = calls[action.call].map { providers[$0.provider]?.isReady == true } ?? false
        if action.kind == .start, isHere, isUnperformedStart(action.call) {
            let requester = transactions[id]?.origin.requester
            end(action.call, .failed, cause: Cause(.notStarted(error), by: .arbiter(for: requester), transaction: id))
        }
    }

    /// What `action` needs next.
    private mutating func nextStep(for action: CallAction, of transaction: Transaction) throws(CallError) -> Step {
        switch action {
        case .start: return try nextStep(ofStart: action, transaction)
        case .answer(let id):
            let call = try checkPossible(action)
            guard call.state == .ringing || call.state == .answering else { return .done }
            if let pending = pendingAction(on: id, .answer) { return .wait(pending, .goal) }
            if let step = try clearLine(for: call, .answer, transaction) { return step }
            return .perform(action, .requested, rule: 0)
        case .end(let id, _):
            let call = try live(id)
            if let pending = pendingAction(on: call.id, .end) { return .wait(pending, .goal) }
            if isUnperformedStart(id) {
                endUnperformed(id, rule: 0, for: transaction)
                return .done
            }
            return .perform(action, .requested, rule: 0)
        case .setHeld(let id, true): return try nextStep(ofHold: id, action, transaction)
        case .setHeld(let id, false): return try nextStep(ofResume: id, action, transaction)
        case .setMuted(let id, let muted):
            let call = try checkPossible(action)
            if let pending = pendingAction(on: id, .setMuted) {
                return .wait(pending, actions[pending]?.performed.action == action ? .goal : .clearing)
            }
            return call.muted == muted ? .done : .perform(action, .requested, rule: 0)
        case .playDTMF(let id, _, _):
            try checkPossible(action)
            if let pending = pendingAction(on: id, .playDTMF) { return .wait(pending, .clearing) }
            return .perform(action, .requested, rule: 0)
        case .setTranslating: return try nextStep(ofTranslation: action)
        case .setGroup(let id, let other): return try nextStep(ofGroup: id, with: other, action, transaction)
        }
    }

    /// A translation that ends without languages is the one under way: its provider is told which.
    private func nextStep(ofTranslation action: CallAction) throws(CallError) -> Step {
        guard case .setTranslating(let id, let isTranslating, let languages) = action else { return .done }
        let current = try checkPossible(action).translation
        var wanted = action
        if let current, languages == .open { wanted = .setTranslating(id, isTranslating, current.languages) }
        if let pending = pendingAction(on: id, .setTranslating) {
            return .wait(pending, actions[pending]?.performed.action == wanted ? .goal : .clearing)
        }
        let isDone = isTranslating ? current?.languages == languages : current == nil
        return isDone ? .done : .perform(wanted, .requested, rule: 0)
    }

    private mutating func nextStep(ofStart action: CallAction, _ transaction: Transaction) throws(CallError) -> Step {
        guard case .start(let id, let handle, let named, let video, let contact) = action else { return .done }
        if calls[id] == nil {
            guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
            guard !usedIDs.contains(id) else { throw CallError(.alreadyEnded, "call \(id) has ended") }
            let provider = try provider(for: handle, named: named)
            if !provider.configuration.isEmergency(handle) { try checkRoom() }
            var call = Call(id: id, provider: provider.id, direction: .outgoing, state: .starting)
            call.facts = CallFacts(provider: provider.id, handle: handle, contact: contact)
            call.video = video
            call.emergency = provider.configuration.isEmergency(handle)
            // The refusals come before the call does.
            _ = try clearances(for: newcomer(call, .start, transaction))
            noteUndeclaredType(handle, provider)
            add(call, cause: cause(of: action, .requested, rule: 0, for: transaction))
        }
        let call = try live(id)
        if let step = try clearLine(for: call, .start, transaction) { return step }
        let complete = CallAction.start(id, handle: handle, provider: call.provider, video: video, contact: contact)
        return .perform(complete, .requested, rule: 0)
    }

    /// Rule 15: a hold acts on the whole group, in the order in which its members joined.
    private mutating func nextStep(
        ofHold id: CallID, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        try checkPossible(action)
        let group = calls.members(with: id)
        let busy = group.first { [.holding, .resuming, .answering].contains(calls[slot: $0]?.state) }
        if let busy = busy.flatMap({ calls[slot: $0]?.id }), let pending = pendingAction(on: busy) {
            return .wait(pending, .clearing)
        }
        guard let next = group.first(where: { calls[slot: $0]?.state == .active }).flatMap({ calls[slot: $0]?.id })
        else {
            claimHold(of: group, cause(of: action, .requested, rule: 0, for: transaction).then(.kept))
            return .done
        }
        return .perform(.setHeld(next, true), .requested, rule: next == id ? 0 : 15)
    }

    /// What is on hold already and is held by the user now, is the user's hold.
    private mutating func claimHold(of group: Members, _ cause: Cause) {
        for call in group.compactMap({ calls[slot: $0] })
        where cause.heldBy(of: call.provider) == .user && call.heldBy != .user {
            calls[call.id]?.heldBy = .user
            explain(call.id, cause)
        }
    }

    /// Rules 10, 12, 13 and 15: a resume is a newcomer like any other.
    private mutating func nextStep(
        ofResume id: CallID, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        if transaction.origin == .autoResume, !mayAutoResume(id) { return .done }
        let call = try checkPossible(action)
        let next = calls.members(with: id).first { [.held, .resuming, .holding].contains(calls[slot: $0]?.state) }
        guard let next = next.flatMap({ calls[slot: $0]?.id }) else { return .done }
        if let pending = pendingAction(on: next, .setHeld) { return .wait(pending, .clearing) }
        if let step = try clearLine(for: call, with: Party(group: call.group), .resume, transaction) { return step }
        let rule: UInt32 =
            switch transaction.origin {
            case .request, .shutdown: next == id ? 0 : 15
            case .autoResume: 10
            case .providerResume: 13
            }
        return .perform(.setHeld(next, false), .requested, rule: rule)
    }

    /// Rule 14: the provider un-holds all members as part of joining; whoever else has the line is held first.
    private mutating func nextStep(
        ofGroup id: CallID, with other: CallID?, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        let call = try checkPossible(action)
        let party: Party
        if let other {
            let group = calls[other]?.group
            guard call.group == nil || call.group != group else { return .done }
            party = Party(other: other, group: group)
        } else {
            guard call.group != nil else { return .done }
            party = Party(group: call.group)
        }
        for member in calls.members(with: other ?? id) {
            if let member = calls[slot: member]?.id, let pending = pendingAction(on: member) {
                return .wait(pending, .clearing)
            }
        }
        if let pending = pendingAction(on: id) { return .wait(pending, .clearing) }
        if let step = try clearLine(for: call, with: party, .group, transaction) { return step }
        return .perform(action, .requested, rule: 0)
    }

    /// Whether a call is announced but its provider has not been told of it.
    func isUnperformedStart(_ id: CallID) -> Bool {
        calls.state(of: id) == .starting && pendingAction(on: id, .start) == nil
    }

    /// Ends a call that its provider knows nothing of.
    mutating func endUnperformed(_ id: CallID, rule: UInt32, for transaction: Transaction) {
        guard let call = calls[id] else { return }
        let cause = cause(of: .end(id, reason: ""), rule == 0 ? .requested : .clearing, rule: rule, for: transaction)
        end(id, endReason(of: call, for: cause), cause: cause.then(.cancelled))
    }

    /// The action under way on a call, of one kind or of any; ends come first.
    func pendingAction(on call: CallID, _ kind: ActionKind? = nil) -> ActionID? {
        calls.pendingAction(on: call, kind)?.id
    }
}
