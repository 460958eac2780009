// Carries decisions out: whose turn it is, what each transaction does next, and what is performed for it.
//
// No plan is kept: after each outcome the next step is decided anew.

import CallModel

/// The facts and what follows from them. Who may ring, who may play and record, and what is shown are out of its reach.
struct Line: Sendable {
    var standing: Standing
    var outbox: Outbox
    var holdStorms = HoldStorms()
    /// The actions whose deadline has passed with the latest input, although their providers had time.
    var unanswered: [PerformedAction] = []
    /// Whether a call to resume is to be suggested, once nothing else is under way (rule 11).
    var owesSuggestion = false

    init(_ standing: Standing) {
        self.standing = standing
        outbox = Outbox(standing.deadlines)
    }

    /// Begins anew, for an input that came at `now`.
    mutating func begin(at now: Instant) {
        standing.now = now
        outbox.begin(at: now)
        unanswered = []
    }

    /// Lets the transactions go on until none can.
    mutating func run() {
        hastenEmergencyStarts()
        repeat { while let transaction = standing.work.popNext() { advance(transaction) } } while forfeitAgain()
        hastenForUsers()
    }

    /// Rule 11: the call to be suggested, once nothing else is under way.
    mutating func popSuggestion(in situation: Situation) -> CallID? {
        guard owesSuggestion, standing.work.queue.isEmpty, !situation.line.contains(where: { $0.state == .ending })
        else { return nil }
        owesSuggestion = false
        return situation.line.isEmpty ? situation.lastDisplaced?.id : nil
    }

    /// The transactions that began with the latest input, and whose later actions are to be announced.
    mutating func popBegun() -> [TransactionID] {
        standing.work.popBegun().filter { id in standing.work[id].map { $0.failure == nil } ?? false }
    }

    /// Completes a transaction's first actions with those that will follow if all goes well.
    mutating func announce(_ toCome: [PerformedAction], of id: TransactionID) {
        let begun = outbox.performs.filter { $0.transaction == id }
        let all = (begun + toCome).map { FollowingAction(provider: $0.provider, action: $0.action) }
        var following = all.filter { action in all.count { $0.provider == action.provider } > 1 }
        if following.isEmpty { return }
        outbox.replacePerforms { action in
            action.transaction == id ? action.with(following.perform(action.action, at: action.provider)) : action
        }
        standing.work.announce(following, of: id)
    }

    /// Applies what can be done with each call now, and tells observers of the calls that have changed.
    ///
    /// - Returns: false if neither a call nor a provider has changed.
    mutating func announceCalls(in situation: Situation) -> Bool {
        let haveProvidersChanged = standing.providers.popChanged()
        guard haveProvidersChanged || standing.calls.haveChanged else { return false }
        standing.calls.apply(AbilitiesNow(situation, standing.providers.all, standing.policy).abilities())
        standing.calls.announce(&outbox)
        return true
    }

    // MARK: Requests

    mutating func nextTransactionID() -> TransactionID { standing.work.nextTransactionID() }

    /// Counts a request of a sandboxed app, unless it starts an emergency call or ends calls.
    ///
    /// - Throws: `LimitsExceeded` if the app has requested too much lately.
    mutating func count(_ request: Request) throws(CallError) {
        let owner = standing.owner(of: request)
        guard owner.isModest, !standing.isFree(request) else { return }
        try standing.rates.countRequest(of: owner, standing.limits.requestsPerClient, at: standing.now)
    }

    /// Admits a request that was checked. One that asks for the same as the last one shares its outcome.
    mutating func admit(_ request: Request, as id: TransactionID, reply: ReplyID) {
        var waiters: [Waiter] = []
        switch request.replyMode {
        case .accepted: outbox.reply(reply, .performed(id, request.actions.map(\.call)))
        case .performed: waiters = [Waiter(reply: reply, transaction: id)]
        }
        let isHeldAlready = standing.isHeldAlready(request)
        if !isHeldAlready, let equal = standing.work.equal(to: request) { return standing.work.join(equal, waiters) }
        standing.work.noteLineWanted(by: request, id)
        standing.calls.name(in: request, id)
        var transaction = Transaction(id: id, origin: .request(request.requester), actions: request.actions)
        transaction.owner = standing.owner(of: request)
        transaction.conflict = request.conflict
        transaction.timeout = request.timeout
        transaction.waiters = waiters
        // Nothing is to be done for it, so it does not wait for anything.
        if isHeldAlready { transaction.isAboutLine = false }
        let isEmergency = request.actions.first(where: \.isAboutLine).map { standing.isEmergency($0) } ?? false
        standing.work.admit(transaction, isEmergency: isEmergency)
    }

    /// Ends every call in order.
    mutating func shutDown() {
        standing.isShuttingDown = true
        for call in standing.calls.live { standing.work.admit(.shutdown, [.end(call.id, reason: "")]) }
    }

    // MARK: Steps

    private mutating func advance(_ id: TransactionID) {
        /// The action for which the line was cleared all at once.
        var cleared: Int?
        while let transaction = standing.work[id], !transaction.isWaiting {
            guard transaction.failure == nil else {
                guard restoreNext(of: transaction) else { return finish(id) }
                continue
            }
            guard let action = transaction.current else { return finish(id) }
            do throws(CallError) {
                switch try standing.nextStep(for: action, of: transaction, isCleared: cleared == transaction.index) {
                case .done: standing.work.goOn(id)
                case .wait(let awaited, let role): return wait(for: awaited, role, transaction)
                case .begin(let call): begin(call, transaction)
                case .cancel(let call, let decision, let newcomer):
                    cancel(call, decision, for: transaction, newcomer: newcomer)
                    if newcomer == nil { standing.work.goOn(id) }
                case .claim(let group, let cause):
                    standing.calls.claimHold(of: group, cause, at: standing.now)
                    standing.work.goOn(id)
                case .clearForEmergency(let clearances):
                    if let awaited = clearForEmergency(clearances, transaction) {
                        return wait(for: awaited, .clearing, transaction)
                    }
                    cleared = transaction.index
                case .perform(let action, let purpose, let decision, let partner):
                    if let partner { standing.work.exchange(partner, in: id) }
                    try standing.giveWay(purpose, of: transaction)
                    if try forfeit(action, purpose, decision, of: transaction) { continue }
                    let performed = perform(action, purpose, decision, for: transaction)
                    let role: Transaction.Role = purpose == .requested ? .goal : .clearing
                    return standing.work.wait(id, for: performed, role)
                }
            } catch {
                fail(id, error)
            }
        }
    }

    /// Waits for an action that is under way already. A user's request does not wait long for one in its way.
    private mutating func wait(for awaited: ActionID, _ role: Transaction.Role, _ transaction: Transaction) {
        standing.work.wait(transaction.id, for: awaited, role)
        if role == .clearing, transaction.origin.isUsers, let action = standing.work[awaited] {
            hasten(action, for: transaction.id)
        }
    }

    /// A call that is started comes into being, before what is in its way is held.
    private mutating func begin(_ call: Call, _ transaction: Transaction) {
        if let handle = call.handle, let provider = standing.providers[call.provider] {
            noteUndeclaredType(handle, provider)
        }
        if let owner = transaction.owner, !call.emergency { countNewCall(of: owner) }
        let cause = Cause(.asked(.start), by: transaction.origin.agent, transaction: transaction.id)
        standing.calls.add(call, cause: cause, at: standing.now)
        lookUp(call.id)
    }

    /// Ends a call that its provider does not know yet.
    private mutating func cancel(
        _ id: CallID, _ decision: Decision, for transaction: Transaction, newcomer: CallID? = nil
    ) {
        guard let call = standing.calls.standing(of: id) else { return }
        let cause = Cause(
            .cancelled, by: decision.by, rule: decision.rule, newcomer: newcomer, transaction: transaction.id)
        end(id, standing.endReason(of: call, for: cause), cause: cause)
    }

    /// Ends the work on a transaction. A call that it was to start, and that its provider does not know, ends with it.
    mutating func fail(_ id: TransactionID, _ error: CallError) {
        guard let transaction = standing.work[id], let action = transaction.current else { return }
        // A later action of a call that had ended before its turn is simply too late.
        let endedMeanwhile = error.code == .alreadyEnded && (transaction.index == 0 || transaction.hasBegunAction)
        let error = endedMeanwhile ? standing.endedError(action.call) ?? error : error
        standing.work.fail(id, standing.naming(transaction.index, of: transaction.actions, in: error))
        withdraw(transaction.following, of: id, failed: true)
        // With its provider it ends as all of that provider's calls do.
        let isHere = standing.calls.standing(of: action.call).map { standing.providers.isReady($0.provider) } ?? false
        if action.kind == .start, isHere, standing.isUnperformedStart(action.call) {
            let agent = Cause.Agent.arbiter(for: transaction.origin.requester)
            end(action.call, .failed, cause: Cause(.notStarted(error), by: agent, transaction: id))
        }
    }

    /// Rule 19: everything at once. All of it together is waited for no longer than `urgent` says, and ringing calls are
    /// not waited for.
    private mutating func clearForEmergency(_ clearances: [Clearance], _ transaction: Transaction) -> ActionID? {
        let limit = transaction.urgentUntil ?? standing.now.advanced(byMilliseconds: standing.deadlines[.urgent])
        var transaction = transaction
        transaction.urgentUntil = limit
        standing.work.urge(transaction.id, until: limit)
        if let grouping = standing.work.actions.first(where: { $0.kind == .setGroup }) {
            hasten(grouping.id, limit)
            return grouping.id
        }
        var awaited: ActionID?
        for clearance in clearances {
            switch clearance {
            case .wait(let id): awaited = awaited ?? standing.work.pendingAction(on: id)?.id
            case .hold(let id, let rule):
                let action = perform(
                    .setHeld(id, true), .clearing, standing.forOthers(transaction, rule), for: transaction)
                awaited = awaited ?? action
            case .end(let id, let rule, let decider):
                let decision = standing.clearing(transaction, rule, decider)
                if standing.isUnperformedStart(id) {
                    cancel(id, decision, for: transaction, newcomer: transaction.current?.call)
                    continue
                }
                let isRinging = standing.calls.standing(of: id)?.state == .ringing
                let action = perform(.end(id, reason: ""), .clearing, decision, for: transaction)
                if !isRinging { awaited = awaited ?? action }
            }
        }
        guard let awaited else { return nil }
        hasten(awaited, limit)
        return awaited
    }

    /// Brings an action's deadline forward for an emergency call.
    mutating func hasten(_ id: ActionID, _ limit: Instant) {
        let deadline = limit.uptime > standing.now.uptime ? limit : standing.now
        if standing.work.hasten(id, to: deadline) { outbox.append(.arm(.action(id), at: deadline)) }
    }

    /// Sends an action to its call's provider and moves the call to the state that says so.
    ///
    /// - Parameter moved: of a call that is put back on hold or off it, how it was before.
    mutating func perform(
        _ action: CallAction, _ purpose: PendingAction.Purpose, _ decision: Decision, for transaction: Transaction,
        restoring moved: Moved? = nil
    ) -> ActionID {
        let id = standing.work.nextActionID()
        guard let call = standing.calls.standing(of: action.call) else { return id }
        if purpose == .clearing, standing.isShort(action, for: transaction) { _ = noteUrgentLimit(of: transaction.id) }
        let performed = PerformedAction(
            id: id, provider: call.provider, action: action, transaction: transaction.id,
            deadline: standing.deadline(of: action, purpose, for: transaction), decision: decision,
            part: part(of: action, on: call, purpose, in: transaction))
        let cause = Cause(
            .asked(action.stateAction), by: decision.by, rule: decision.rule,
            newcomer: moved?.heldFor ?? standing.newcomer(action, purpose, for: transaction),
            transaction: transaction.id)
        var pending = PendingAction(performed, purpose, at: standing.now, cause: cause)
        if action.kind == .end { pending.endReason = standing.endReason(of: call, for: cause) }
        pending.heldBy = moved?.heldBy ?? call.heldBy ?? .user
        pending.heldFor = call.heldFor
        if case .setGroup(_, let other?) = action {
            pending.partners = [other] + standing.calls.members(with: other).map(\.id)
        }
        standing.work.add(pending)
        outbox.append(.perform(performed))
        if action.kind == .answer { outbox.append(.disarm(.ring(call.id))) }
        if let event = action.eventWhenPerformed { move(call.id, event, cause: cause) }
        return id
    }

    /// The place of an action that is about to be performed among those that are announced together.
    private mutating func part(
        of action: CallAction, on call: CallStanding, _ purpose: PendingAction.Purpose, in transaction: Transaction
    ) -> ActionPart {
        guard purpose == .requested || purpose == .clearing else { return .single }
        if let part = standing.work.part(action, at: call.provider, in: transaction.id) { return part }
        if standing.work[transaction.id]?.followingIsKnown == false,
            standing.mayBeFollowed(action, on: call, purpose, in: transaction)
        {
            standing.work.noteBegun(transaction.id)
        }
        return .single
    }

    /// Tells a provider a fact. Its answer is not awaited, and a missing one has no consequence.
    mutating func notify(_ provider: ProviderID, _ action: CallAction, _ rule: Rule?, for transaction: Transaction?) {
        guard standing.providers.isReady(provider) else { return }
        let decision = Decision(by: .system, rule: rule)
        let performed = PerformedAction(
            id: standing.work.nextActionID(), provider: provider, action: action,
            transaction: transaction?.id ?? standing.work.nextTransactionID(),
            deadline: standing.now.advanced(byMilliseconds: standing.deadlines[DeadlineKind(action.kind)]),
            decision: decision)
        let cause = Cause(.asked(action.stateAction), by: decision.by, rule: rule)
        standing.work.add(PendingAction(performed, .notice, at: standing.now, cause: cause))
        outbox.append(.perform(performed))
    }

    /// Rule 16: brings back the calls that were moved for a transaction that failed, the last one first.
    ///
    /// - Returns: false when nothing is left to restore.
    private mutating func restoreNext(of transaction: Transaction) -> Bool {
        guard let moved = standing.work.popMoved(of: transaction.id) else { return false }
        guard let call = standing.calls.standing(of: moved.call), standing.mayRestore(call, moved, after: transaction)
        else {
            return true
        }
        let rule: Rule =
            switch transaction.current {
            case .setHeld(_, false)?: .swap
            case .setHeld(_, true)?: .wholeGroup
            case .start?, .answer?, .end?, .setMuted?, .setGroup?, .playDTMF?, .setTranslating?, .transfer?,
                .answerTransfer?, nil:
                .compensation
            }
        let action = perform(
            .setHeld(call.id, moved.heldBy != nil), .compensation, standing.forOthers(transaction, rule),
            for: transaction, restoring: moved)
        standing.work.wait(transaction.id, for: action, .compensation)
        return true
    }

    /// Ends a transaction: each request that waits for it gets its one reply, and the queue moves on.
    mutating func finish(_ id: TransactionID) {
        guard let transaction = standing.work.remove(id) else { return }
        withdraw(transaction.following, of: id, failed: false)
        if case .providerResume(let provider) = transaction.origin, transaction.failure != nil,
            let call = transaction.actions.first?.call, standing.calls.standing(of: call)?.state == .held
        {
            // Rule 13: a resume that is refused is taken back at the provider.
            notify(provider, .setHeld(call, true), .network, for: transaction)
        }
        if transaction.origin == .adoption, transaction.failure != nil, let call = transaction.actions.first?.call {
            endUnadopted(call)
        }
        if transaction.origin == .autoResume || (transaction.failure != nil && transaction.hasDisplaced) {
            owesSuggestion = true
        }
        for waiter in transaction.waiters {
            let done = Reply.performed(waiter.transaction, transaction.actions.map(\.call))
            outbox.reply(waiter.reply, transaction.failure.map { .failed($0) } ?? done)
        }
    }

    /// Does not ask a provider that let an earlier action of the transaction time out, or, in the way of a user's request,
    /// the last one of this kind: the transaction fails, or the call in its way is lost.
    ///
    /// - Returns: false if the provider is asked.
    private mutating func forfeit(
        _ action: CallAction, _ purpose: PendingAction.Purpose, _ decision: Decision, of transaction: Transaction
    ) throws(CallError) -> Bool {
        guard let call = standing.calls.standing(of: action.call), transaction.isAboutLine, !call.emergency,
            transaction.silent.contains(call.provider)
                || purpose == .clearing && transaction.origin.isUsers
                    && standing.patience(with: call.provider, action.kind) == .none
        else { return false }
        guard purpose == .clearing || action.kind == .end else { throw Standing.forfeited(call.provider, action) }
        let cause = Cause(
            .asked(action.stateAction), by: decision.by, rule: decision.rule, newcomer: transaction.current?.call,
            transaction: transaction.id)
        if action.kind == .end {
            end(call.id, standing.endReason(of: call, for: cause), cause: cause)
            notify(call.provider, .end(call.id, reason: ""), .noAnswer, for: nil)
            if purpose == .requested { standing.work.goOn(transaction.id) }
        } else {
            let silence = Cause(
                .unanswered(action.stateAction), by: .deadline(DeadlineKind(action.kind)), rule: .noAnswer,
                newcomer: transaction.current?.call, transaction: transaction.id)
            end(call.id, .timedOut, cause: silence)
            notify(call.provider, .end(call.id, reason: EndReason.timedOut.rawValue), .noAnswer, for: nil)
        }
        return true
    }

    /// Brings the deadline of an action forward for which a user's request waits.
    mutating func hasten(_ action: PendingAction, for user: TransactionID) {
        switch standing.patience(with: action) {
        case .deadline: break
        case .urgent: hasten(action.id, noteUrgentLimit(of: user))
        case .none: hasten(action.id, standing.now)
        }
    }

    /// Notes when the user's request stops waiting for those that get little time.
    private mutating func noteUrgentLimit(of id: TransactionID) -> Instant {
        let limit = standing.urgentLimit(of: id)
        standing.work.shorten(id, until: limit)
        return limit
    }

    /// Hastens what the first request in the queue waits for, if a user's waits its turn behind it.
    private mutating func hastenForUsers() {
        guard let head = standing.work.queue.first.flatMap({ standing.work[$0] }),
            let awaited = head.waitingFor?.action,
            let action = standing.work[awaited], let user = standing.work.userWaiting(behind: head)
        else { return }
        hasten(action, for: user)
    }

    /// Tells the providers that the announced actions will not follow.
    mutating func withdraw(_ following: [FollowingAction], of id: TransactionID, failed: Bool) {
        var told: Set<ProviderID> = []
        for action in following where action.isAwaited && told.insert(action.provider).inserted {
            guard standing.providers.isReady(action.provider) else { continue }
            outbox.append(.transactionEnded(id, on: action.provider, failed: failed))
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
