// The next step of each action: what must happen before it, and when it is performed.

import CallModel

extension CallMachine {
    /// What `action` needs next.
    mutating func nextStep(for action: CallAction, of transaction: Transaction) throws(CallError) -> Step {
        switch action {
        case .start(let id, let request): return try nextStep(ofStart: id, request, action, transaction)
        case .answer(let id):
            let call = try checkPossible(action)
            guard call.state == .ringing || call.state == .answering else { return .done }
            if let pending = work.pendingAction(on: id, .answer) { return .wait(pending.id, .goal) }
            if let step = try clearLine(for: call, .answer, transaction) { return step }
        case .end(let id, _):
            let call = try live(id)
            if let pending = work.pendingAction(on: call.id, .end) { return .wait(pending.id, .goal) }
            if isUnperformedStart(id) {
                endUnperformed(id, requested(transaction, action), for: transaction)
                return .done
            }
        case .setHeld(let id, true): return try nextStep(ofHold: id, action, transaction)
        case .setHeld(let id, false): return try nextStep(ofResume: id, action, transaction)
        case .setMuted(let id, let muted):
            try checkPossible(action)
            if let pending = work.pendingAction(on: id, .setMuted) {
                return .wait(pending.id, pending.performed.action == action ? .goal : .clearing)
            }
            if calls[id]?.muted == muted { return .done }
        case .playDTMF(let id, _, _):
            try checkPossible(action)
            if let pending = work.pendingAction(on: id, .playDTMF) { return .wait(pending.id, .clearing) }
        case .setTranslating(let id, let isTranslating, let languages):
            return try nextStep(ofTranslation: id, isTranslating, languages, action, transaction)
        case .transfer(let id, _):
            // The provider has it already, or has another one of this call.
            for kind in [ActionKind.transfer, .transferTo] {
                if let pending = work.pendingAction(on: id, kind) {
                    return .wait(pending.id, pending.performed.action == action ? .goal : .clearing)
                }
            }
            try checkPossible(action)
        case .answerTransfer(let id, _):
            if let pending = work.pendingAction(on: id, .answerTransfer) {
                return .wait(pending.id, pending.performed.action == action ? .goal : .clearing)
            }
            try checkPossible(action)
        case .setGroup(let id, let other): return try nextStep(ofGroup: id, with: other, action, transaction)
        }
        return .perform(action, .requested, requested(transaction, action))
    }

    /// A translation that ends without languages is the one under way: its provider is told which.
    private func nextStep(
        ofTranslation id: CallID, _ isTranslating: Bool, _ languages: Languages, _ action: CallAction,
        _ transaction: Transaction
    ) throws(CallError) -> Step {
        try checkPossible(action)
        let current = calls[id]?.translation
        var wanted = action
        if let current, languages == .open { wanted = .setTranslating(id, isTranslating, current.languages) }
        if let pending = work.pendingAction(on: id, .setTranslating) {
            return .wait(pending.id, pending.performed.action == wanted ? .goal : .clearing)
        }
        let isDone = isTranslating ? current?.languages == languages : current == nil
        return isDone ? .done : .perform(wanted, .requested, requested(transaction, wanted))
    }

    /// Rules 1 to 3. The call exists from its turn on, before what is in its way is held.
    private mutating func nextStep(
        ofStart id: CallID, _ request: StartRequest, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        if calls.standing(of: id) == nil {
            guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
            guard !calls.knew(id) else { throw CallError(.alreadyEnded, "call \(id) has ended") }
            let provider = try provider(for: request, transaction.conflict)
            var call = Call(id: id, provider: provider, direction: .outgoing, state: .starting)
            call.handle = request.handle
            call.contact = request.contact
            call.postDial = request.postDial
            call.video = request.video
            call.emergency = isEmergency(request.handle)
            if !call.emergency {
                try checkRoom(for: provider)
                try checkStarts(by: transaction.owner)
            }
            call.startedBy = transaction.owner
            // The refusals come before the call does.
            _ = try clearances(for: newcomer(call.standing, .start, transaction))
            noteUndeclaredType(request.handle, provider)
            if let owner = transaction.owner, !call.emergency { countNewCall(of: owner) }
            add(call, cause: Cause(.asked(.start), by: transaction.origin.agent, transaction: transaction.id))
            lookUp(id)
        }
        let call = try live(id)
        if let step = try clearLine(for: call, .start, transaction) { return step }
        var complete = request
        complete.provider = call.provider
        complete.postDial = ""
        (complete.preferred, complete.scheme) = (nil, "")
        return .perform(.start(id, complete), .requested, requested(transaction, action))
    }

    /// Rule 15: a hold acts on the whole group, in the order in which its members joined.
    private mutating func nextStep(
        ofHold id: CallID, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        try checkPossible(action)
        let group = calls.members(with: id)
        let busy = group.first { [.holding, .resuming, .answering].contains($0.state) }
        if let pending = busy.flatMap({ work.pendingAction(on: $0.id) }) { return .wait(pending.id, .clearing) }
        guard let next = group.first(where: { $0.state == .active }) else {
            if let partner = transaction.partner, let step = resume(partner, transaction) { return step }
            claimHold(of: group, Cause(.kept, by: transaction.origin.agent, transaction: transaction.id))
            return .done
        }
        let partner = transaction.origin == .adoption ? nil : calls.situation.partner(of: next)?.id
        work.update(transaction.id) { $0.partner = partner ?? $0.partner }
        let rule: Rule? = next.id == id ? nil : .wholeGroup
        return .perform(.setHeld(next.id, true), .requested, requested(transaction, action, rule))
    }

    /// Rule 13: the other half of an exchange, unless the provider has reported it already, or an emergency call has taken
    /// the line meanwhile.
    private func resume(_ partner: CallID, _ transaction: Transaction) -> Step? {
        let group = calls.members(with: partner)
        let party = Party(one: partner, group: group.first?.group)
        guard calls.situation.line(without: party).isEmpty, calls.situation.emergencies(besides: party).isEmpty else {
            return nil
        }
        if let busy = group.first(where: { $0.state == .resuming }), let pending = work.pendingAction(on: busy.id) {
            return .wait(pending.id, .clearing)
        }
        guard let next = group.first(where: { $0.state == .held }) else { return nil }
        return .perform(.setHeld(next.id, false), .requested, forOthers(transaction, .network))
    }

    /// A user's hold of calls that are on hold already makes the hold the user's.
    private mutating func claimHold(of group: [CallStanding], _ cause: Cause) {
        for call in group where call.isOnHold && cause.heldBy(of: call.provider) == .user && call.heldBy != .user {
            calls.update(call.id) { $0.heldBy = .user }
            explain(call.id, cause)
        }
    }

    /// Rules 10, 12, 13 and 15: a resume is a newcomer like any other.
    private mutating func nextStep(
        ofResume id: CallID, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        if transaction.origin == .autoResume, !mayAutoResume(id) { return .done }
        let call = try checkPossible(action)
        // Rule 24: an emergency call has the line already; the others give it up.
        if transaction.origin == .adoption { return try clearLine(for: call, .resume, transaction) ?? .done }
        let next = calls.members(with: id).first { [.held, .resuming, .holding].contains($0.state) }?.id
        guard let next else { return .done }
        if let pending = work.pendingAction(on: next, .setHeld) { return .wait(pending.id, .clearing) }
        if let step = try clearLine(for: call, with: Party(group: call.group), .resume, transaction) { return step }
        let rule: Rule? =
            switch transaction.origin {
            case .request, .adoption, .postDial, .shutdown: next == id ? nil : .wholeGroup
            case .autoResume: .comesBack
            case .providerResume: .network
            }
        return .perform(.setHeld(next, false), .requested, requested(transaction, action, rule))
    }

    /// Rule 14: the provider resumes all members as part of joining; any other call with the line is held first.
    private mutating func nextStep(
        ofGroup id: CallID, with other: CallID?, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> Step {
        let call = try checkPossible(action)
        let party: Party
        if let other {
            let group = calls.standing(of: other)?.group
            guard call.group == nil || call.group != group else { return .done }
            party = Party(other: other, group: group)
        } else {
            guard call.group != nil else { return .done }
            party = Party(group: call.group)
        }
        for member in calls.members(with: other ?? id).map(\.id) + [id] {
            if let pending = work.pendingAction(on: member) { return .wait(pending.id, .clearing) }
        }
        if let step = try clearLine(for: call, with: party, .group, transaction) { return step }
        return .perform(action, .requested, requested(transaction, action))
    }

    /// Whether a call is announced but its provider has not been told of it.
    func isUnperformedStart(_ id: CallID) -> Bool {
        calls.standing(of: id)?.state == .starting && work.pendingAction(on: id, .start) == nil
    }

    /// Ends a call that its provider does not know yet.
    mutating func endUnperformed(
        _ id: CallID, _ decision: Decision, for transaction: Transaction, newcomer: CallID? = nil
    ) {
        guard let call = calls.standing(of: id) else { return }
        let cause = Cause(
            .cancelled, by: decision.by, rule: decision.rule, newcomer: newcomer, transaction: transaction.id)
        end(id, endReason(of: call, for: cause), cause: cause)
    }
}
