// The next step of each action: what must happen before it, and when it is performed.

import CallModel

/// The next step of a transaction.
enum NextStep {
    /// The action is done, or nothing is to be done for it.
    case done
    case wait(ActionID, Transaction.Role)
    /// - partner: the held call that a hold exchanges for its own (rule 13).
    case perform(CallAction, PendingAction.Purpose, Decision, partner: CallID? = nil)
    /// A call comes into being; its provider is told later.
    case begin(Call)
    /// A call ends of which its provider does not know yet; with the newcomer in whose way it is.
    case cancel(CallID, Decision, for: CallID?)
    /// A hold of calls that are on hold already.
    case claim([CallStanding], Cause)
    /// Rule 19: everything at once.
    case clearForEmergency([Clearance])
}

extension Standing {
    /// What `action` needs next.
    ///
    /// - Parameter isCleared: whether the line was cleared for an emergency call, all at once.
    func nextStep(
        for action: CallAction, of transaction: Transaction, isCleared: Bool
    ) throws(CallError) -> NextStep {
        switch action {
        case .start(let id, let request): return try nextStep(ofStart: id, request, action, transaction, isCleared)
        case .answer(let id):
            let call = try checkPossible(action)
            guard call.state == .ringing || call.state == .answering else { return .done }
            if let pending = work.pendingAction(on: id, .answer) { return .wait(pending.id, .goal) }
            if let step = try clearLine(for: call, .answer, transaction, isCleared) { return step }
        case .end(let id, _):
            let call = try live(id)
            if let pending = work.pendingAction(on: call.id, .end) { return .wait(pending.id, .goal) }
            if isUnperformedStart(id) { return .cancel(id, requested(transaction, action), for: nil) }
        case .setHeld(let id, true): return try nextStep(ofHold: id, action, transaction)
        case .setHeld(let id, false): return try nextStep(ofResume: id, action, transaction, isCleared)
        case .setMuted(let id, let muted):
            try checkPossible(action)
            if let pending = work.pendingAction(on: id, .setMuted) {
                return .wait(pending.id, pending.performed.action == action ? .goal : .clearing)
            }
            if calls[id]?.muted == muted { return .done }
        case .playDTMF(let id, let digits, _): return try nextStep(ofTones: id, digits, action, transaction)
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

    /// Digits that wait for the user are named when their turn has come, so that they are sent once.
    private func nextStep(
        ofTones id: CallID, _ digits: String, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> NextStep {
        try checkPossible(action)
        var wanted = action
        if digits.isEmpty {
            wanted = .playDTMF(id, digits: calls[id]?.waitingDigits.untilWaitSign.now ?? "", tone: .hardPause)
        }
        if let pending = work.pendingAction(on: id, .playDTMF) {
            return .wait(pending.id, digits.isEmpty && pending.performed.action == wanted ? .goal : .clearing)
        }
        return .perform(wanted, .requested, requested(transaction, wanted))
    }

    /// A translation that ends without languages is the one under way: its provider is told which.
    private func nextStep(
        ofTranslation id: CallID, _ isTranslating: Bool, _ languages: Languages, _ action: CallAction,
        _ transaction: Transaction
    ) throws(CallError) -> NextStep {
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
    private func nextStep(
        ofStart id: CallID, _ request: StartRequest, _ action: CallAction, _ transaction: Transaction,
        _ isCleared: Bool
    ) throws(CallError) -> NextStep {
        if calls.standing(of: id) == nil {
            guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
            guard !calls.knew(id) else { throw CallError(.alreadyEnded, "call \(id) has ended") }
            let provider = try provider(for: request, transaction.conflict)
            var call = Call(id: id, provider: provider, direction: .outgoing, state: .starting)
            call.handle = request.handle
            call.contactIdentifier = request.contact
            (call.postDial, call.waitingDigits) = request.postDial.untilWaitSign
            call.video = request.video
            call.emergency = isEmergency(request.handle)
            if !call.emergency {
                try checkRoom(for: provider)
                try checkStarts(by: transaction.owner)
            }
            call.startedBy = transaction.owner
            // The refusals come before the call does.
            _ = try clearances(for: newcomer(call.standing, .start, transaction))
            return .begin(call)
        }
        let call = try live(id)
        if let step = try clearLine(for: call, .start, transaction, isCleared) { return step }
        var complete = request
        complete.provider = call.provider
        complete.postDial = ""
        (complete.preferred, complete.scheme) = (nil, "")
        return .perform(.start(id, complete), .requested, requested(transaction, action))
    }

    /// Rule 15: a hold acts on the whole group, in the order in which its members joined.
    private func nextStep(
        ofHold id: CallID, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> NextStep {
        try checkPossible(action)
        let group = calls.members(with: id)
        let busy = group.first { [.holding, .resuming, .answering].contains($0.state) }
        if let pending = busy.flatMap({ work.pendingAction(on: $0.id) }) { return .wait(pending.id, .clearing) }
        guard let next = group.first(where: { $0.state == .active }) else {
            if let partner = transaction.partner, let step = resume(partner, transaction) { return step }
            return .claim(group, Cause(.kept, by: transaction.origin.agent, transaction: transaction.id))
        }
        let partner = transaction.origin == .adoption ? nil : calls.situation.partner(of: next)?.id
        let rule: Rule? = next.id == id ? nil : .wholeGroup
        return .perform(.setHeld(next.id, true), .requested, requested(transaction, action, rule), partner: partner)
    }

    /// Rule 13: the other half of an exchange, unless the provider has reported it already, or an emergency call has taken
    /// the line meanwhile.
    private func resume(_ partner: CallID, _ transaction: Transaction) -> NextStep? {
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

    /// Rules 10, 12, 13 and 15: a resume is a newcomer like any other.
    private func nextStep(
        ofResume id: CallID, _ action: CallAction, _ transaction: Transaction, _ isCleared: Bool
    ) throws(CallError) -> NextStep {
        if transaction.origin == .autoResume, !mayAutoResume(id) { return .done }
        let call = try checkPossible(action)
        // Rule 24: an emergency call has the line already; the others give it up.
        if transaction.origin == .adoption { return try clearLine(for: call, .resume, transaction, isCleared) ?? .done }
        let next = calls.members(with: id).first { [.held, .resuming, .holding].contains($0.state) }?.id
        guard let next else { return .done }
        if let pending = work.pendingAction(on: next, .setHeld) { return .wait(pending.id, .clearing) }
        if let step = try clearLine(
            for: call, with: Party(group: call.group), .resume, transaction, isCleared)
        {
            return step
        }
        let rule: Rule? =
            switch transaction.origin {
            case .request, .adoption, .postDial, .shutdown: next == id ? nil : .wholeGroup
            case .autoResume: .comesBack
            case .providerResume: .network
            }
        return .perform(.setHeld(next, false), .requested, requested(transaction, action, rule))
    }

    /// Rule 14: the provider resumes all members as part of joining; any other call with the line is held first.
    private func nextStep(
        ofGroup id: CallID, with other: CallID?, _ action: CallAction, _ transaction: Transaction
    ) throws(CallError) -> NextStep {
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

    /// Rule 10's conditions, checked when its turn has come.
    func mayAutoResume(_ id: CallID) -> Bool {
        guard let call = calls.standing(of: id), call.isOnHold, call.state != .ending, call.heldBy == .arbiter
        else { return false }
        let party = Party(one: id, group: call.group)
        let situation = calls.situation
        return situation.ringing.isEmpty && situation.line.allSatisfy(party.contains)
    }

    /// A call gets the line back only if it is free and the user did not act since; it is put back on hold in any case.
    func mayRestore(_ call: CallStanding, _ moved: Moved, after transaction: Transaction) -> Bool {
        guard moved.heldBy == nil else { return call.state == .active }
        let userActed = work.lastStartOrAnswer > transaction.id || (call.namedBy.map { $0 > transaction.id } ?? false)
        guard !userActed, call.state == .held, call.heldBy != .provider else { return false }
        return !calls.situation.line.contains { $0.id != call.id && ($0.group == nil || $0.group != call.group) }
    }

    /// Whether its provider may have more to do for the transaction. Must never be false when it has.
    func mayBeFollowed(
        _ action: CallAction, on call: CallStanding, _ purpose: PendingAction.Purpose, in transaction: Transaction
    ) -> Bool {
        if transaction.index + 1 < transaction.actions.count { return true }
        guard purpose == .clearing else {
            return action.kind == .setHeld && (call.group != nil || calls.situation.partner(of: call) != nil)
        }
        let goal = transaction.current.flatMap { calls.standing(of: $0.call)?.provider }
        return goal == call.provider || calls.standings.count { $0.provider == call.provider } > 1
    }

    /// Whether a call is announced but its provider has not been told of it.
    func isUnperformedStart(_ id: CallID) -> Bool {
        calls.standing(of: id)?.state == .starting && work.pendingAction(on: id, .start) == nil
    }

    // MARK: The way to a free line

    /// The next step that clears the line for `call` and those that are to share it, or nil when it is free.
    func clearLine(
        for call: CallStanding, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction,
        _ isCleared: Bool = false
    ) throws(CallError) -> NextStep? {
        let newcomer = newcomer(call, with: other, purpose, transaction)
        let clearances = try clearances(for: newcomer)
        if newcomer.isEmergency { return isCleared ? nil : .clearForEmergency(clearances) }
        for clearance in clearances {
            switch clearance {
            case .wait(let id):
                if let pending = work.pendingAction(on: id) { return .wait(pending.id, .clearing) }
            case .hold(let id, let rule):
                return .perform(.setHeld(id, true), .clearing, forOthers(transaction, rule))
            case .end(let id, let rule, let decider):
                if let pending = work.pendingAction(on: id, .end) { return .wait(pending.id, .clearing) }
                let decision = clearing(transaction, rule, decider)
                guard isUnperformedStart(id) else { return .perform(.end(id, reason: ""), .clearing, decision) }
                return .cancel(id, decision, for: call.id)
            }
        }
        return nil
    }

    func clearances(for newcomer: Newcomer) throws(CallError) -> [Clearance] {
        do throws(Refusal) {
            return try Arbiter.clearances(for: newcomer, among: calls.situation, under: policy)
        } catch {
            throw error.error(for: newcomer, among: calls.situation, under: policy)
        }
    }

    func newcomer(
        _ call: CallStanding, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction
    ) -> Newcomer {
        let rule: Rule? = if case .providerResume = transaction.origin { .network } else { nil }
        return Newcomer(
            purpose: purpose, members: Party(one: call.id, other: other.other, group: other.group),
            provider: call.provider,
            maximumCallGroups: providers[call.provider]?.configuration.maximumCallGroups ?? 0,
            // An emergency call is in no group.
            isEmergency: call.emergency, conflict: transaction.conflict, holdRule: rule)
    }

    /// The call for which an action clears the line, or keeps a call on hold that was connected when it was reported.
    func newcomer(
        _ action: CallAction, _ purpose: PendingAction.Purpose, for transaction: Transaction
    ) -> CallID? {
        if purpose == .clearing { return transaction.current?.call }
        guard transaction.origin == .adoption, case .setHeld(let id, true) = action else { return nil }
        let party = Party(one: id)
        let situation = calls.situation
        return (situation.line(without: party).first ?? situation.emergencies(besides: party).first)?.id
    }

    // MARK: Who decides

    /// An action on a call that makes room for another.
    func forOthers(_ transaction: Transaction, _ rule: Rule) -> Decision {
        Decision(by: .arbiter(for: transaction.origin.requester), rule: rule)
    }

    /// The end of a call in the way.
    func clearing(_ transaction: Transaction, _ rule: Rule, _ decider: Clearance.Decider) -> Decision {
        let agent = isShuttingDown ? Cause.Agent.system : decider.agent(for: transaction.origin)
        return Decision(by: agent, rule: rule)
    }

    /// The requested action itself, or one of those that it takes.
    func requested(_ transaction: Transaction, _ action: CallAction, _ rule: Rule? = nil) -> Decision {
        let isEndInShutdown = isShuttingDown && action.kind == .end
        let rule = transaction.origin == .adoption ? .adoption : rule
        return Decision(by: isEndInShutdown ? .system : transaction.origin.agent, rule: rule)
    }
}
