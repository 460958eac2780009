// Everything under way: transactions in their order, and the actions that providers have not answered.

import CallModel

/// Keeps everything under way, and tells what comes next and which transaction waits for what. The machine decides
/// on the effects on calls.
struct Work: Sendable {
    /// The transactions under way, the oldest first.
    private(set) var transactions: [Transaction] = []
    /// The transactions that are about the line; the first one is worked on, the others wait their turn.
    private(set) var queue: [TransactionID] = []
    /// The transactions that may continue now, whichever call has the line.
    private(set) var runnable: [TransactionID] = []
    /// The transactions that just began, whose later actions are still to be announced to providers.
    private(set) var begun: [TransactionID] = []
    /// The actions that providers have not answered, in the order in which they were performed.
    private(set) var actions: [PendingAction] = []
    private(set) var settled = SettledActions()
    /// The latest request to start or answer a call: the user acted then.
    private(set) var lastStartOrAnswer = TransactionID(0)
    private(set) var latestTransaction = TransactionID(0)
    private var latestAction: UInt64 = 0

    mutating func nextTransactionID() -> TransactionID {
        latestTransaction = TransactionID(latestTransaction.number + 1)
        return latestTransaction
    }

    mutating func nextActionID() -> ActionID {
        latestAction += 1
        return ActionID(latestAction)
    }

    // MARK: Transactions

    private func index(of id: TransactionID) -> Int? { transactions.firstIndex { $0.id == id } }

    subscript(id: TransactionID) -> Transaction? { index(of: id).map { transactions[$0] } }

    private mutating func update(_ id: TransactionID, _ change: (inout Transaction) -> Void) {
        if let index = index(of: id) { change(&transactions[index]) }
    }

    /// Admits a transaction: it runs at once, or waits its turn if it is about the line. An emergency goes first, and a
    /// user's request before those of providers.
    mutating func admit(_ transaction: Transaction, isEmergency: Bool = false) {
        transactions.append(transaction)
        if !transaction.isAboutLine {
            runnable.append(transaction.id)
        } else if isEmergency {
            queue.insert(transaction.id, at: 0)
        } else {
            queue.insert(transaction.id, at: place(of: transaction, in: queue))
        }
    }

    /// Admits a transaction that the arbiter itself or a provider's report calls for.
    ///
    /// - Parameter isAboutLine: whether it waits its turn; nil if the actions decide.
    mutating func admit(
        _ origin: TransactionOrigin, _ actions: [CallAction], isAboutLine: Bool? = nil, isEmergency: Bool = false
    ) {
        var transaction = Transaction(id: nextTransactionID(), origin: origin, actions: actions)
        transaction.isAboutLine = isAboutLine ?? transaction.isAboutLine
        admit(transaction, isEmergency: isEmergency)
    }

    /// Lets more method calls wait for a transaction.
    mutating func join(_ id: TransactionID, _ waiters: [Waiter]) { update(id) { $0.waiters += waiters } }

    /// "The user acted since": notes that a request wants the line for a call.
    mutating func noteLineWanted(by request: Request, _ id: TransactionID) {
        if request.actions.contains(where: { $0.kind == .start || $0.kind == .answer }) { lastStartOrAnswer = id }
    }

    /// Where a new transaction waits. It does not pass one that has begun, another user's, or one about the same call.
    private func place(of new: Transaction, in queue: [TransactionID]) -> Int {
        guard new.origin.isUsers, !new.hasBegun else { return queue.count }
        var place = queue.count
        for index in queue.indices.reversed() {
            guard let other = self[queue[index]], !other.hasBegun, !other.origin.isUsers else { break }
            guard other.origin.isProviders else { continue }
            if !other.calls.isDisjoint(with: new.calls) { break }
            place = index
        }
        return place
    }

    /// The first user's request that waits its turn behind a transaction, and is about other calls.
    func userWaiting(behind transaction: Transaction) -> TransactionID? {
        guard let index = queue.firstIndex(of: transaction.id) else { return nil }
        return queue[(index + 1)...].first { id in
            guard let other = self[id] else { return false }
            return other.origin.isUsers && other.calls.isDisjoint(with: transaction.calls)
        }
    }

    /// The pairs of waiting transactions in which a user's should have passed a provider's.
    var misplaced: [(provider: TransactionID, user: TransactionID)] {
        let waiting = queue.compactMap { self[$0] }.filter { !$0.hasBegun }
        return waiting.indices.flatMap { first in
            waiting[(first + 1)...].compactMap { later in
                let between = waiting[first...].prefix { $0.id != later.id }
                let mayPass = between.allSatisfy { other in
                    !other.origin.isUsers && (!other.origin.isProviders || other.calls.isDisjoint(with: later.calls))
                }
                guard waiting[first].origin.isProviders, later.origin.isUsers, mayPass else { return nil }
                return (waiting[first].id, later.id)
            }
        }
    }

    /// Removes and returns the transaction that can continue now, if there is one.
    mutating func popNext() -> TransactionID? {
        if !runnable.isEmpty { return runnable.removeFirst() }
        guard let head = queue.first, self[head]?.isWaiting == false else { return nil }
        return head
    }

    mutating func wait(_ id: TransactionID, for action: ActionID, _ role: Transaction.Role) {
        update(id) {
            $0.waitingFor = (action, role)
            if role != .compensation { $0.hasBegunAction = true }
        }
    }

    /// What a transaction waited for has come out.
    mutating func stopWaiting(_ id: TransactionID) { update(id) { $0.waitingFor = nil } }

    /// The current action is done: what was moved for it stays as it is now.
    mutating func goOn(_ id: TransactionID) {
        update(id) {
            $0.index += 1
            $0.hasBegunAction = false
            $0.partner = nil
            $0.moved = []
            $0.urgentUntil = nil
        }
    }

    /// What remains is to restore the moved calls. Nothing follows any more.
    mutating func fail(_ id: TransactionID, _ error: CallError) {
        update(id) {
            $0.failure = error
            $0.following = []
        }
    }

    /// An emergency call goes on to another provider than this one. What will follow there is to be worked out anew.
    mutating func passOver(_ provider: ProviderID, in id: TransactionID) {
        update(id) {
            $0.passedOver.insert(provider)
            $0.following = []
            $0.followingIsKnown = false
        }
    }

    mutating func exchange(_ partner: CallID, in id: TransactionID) { update(id) { $0.partner = partner } }

    /// A provider has let one of its actions time out.
    mutating func noteSilent(_ provider: ProviderID, in id: TransactionID) { update(id) { $0.silent.insert(provider) } }

    /// When an emergency stops waiting for what is in its way.
    mutating func urge(_ id: TransactionID, until limit: Instant) { update(id) { $0.urgentUntil = limit } }

    /// When a user's request stops waiting for those that get little time.
    mutating func shorten(_ id: TransactionID, until limit: Instant) { update(id) { $0.patientUntil = limit } }

    /// Remembers what was moved for a transaction, so that its failure can move it back.
    mutating func noteMoved(_ moved: Moved, in id: TransactionID, displaces: Bool) {
        update(id) {
            if displaces { $0.hasDisplaced = true }
            $0.moved.append(moved)
        }
    }

    /// Removes and returns what was moved last for a transaction.
    mutating func popMoved(of id: TransactionID) -> Moved? {
        guard let index = index(of: id) else { return nil }
        return transactions[index].moved.popLast()
    }

    mutating func remove(_ id: TransactionID) -> Transaction? {
        // What it kept from being passed may be passed now.
        var rest: [TransactionID] = []
        for other in queue where other != id {
            rest.insert(other, at: self[other].map { place(of: $0, in: rest) } ?? rest.count)
        }
        queue = rest
        return index(of: id).map { transactions.remove(at: $0) }
    }

    /// The action about the line that is being worked on, while the next transaction waits its turn.
    var current: CallAction? { queue.first.flatMap { self[$0]?.current } }

    func contains(where condition: (Transaction) -> Bool) -> Bool { transactions.contains(where: condition) }

    /// Rule 22: the pending transaction that requests the same, unless a later one came in between.
    func equal(to request: Request) -> TransactionID? {
        guard request.actions.count == 1, let last = queue.last, let pending = self[last],
            pending.failure == nil, pending.actions == request.actions, pending.conflict == request.conflict,
            case .request(let other) = pending.origin
        else { return nil }
        switch (other, request.requester) {
        case (.client, .client): return last
        case (.provider(let one), .provider(let two)): return one == two ? last : nil
        case (.client, .provider), (.provider, .client): return nil
        }
    }

    // MARK: Actions

    private func index(of id: ActionID) -> Int? { actions.firstIndex { $0.id == id } }

    subscript(id: ActionID) -> PendingAction? { index(of: id).map { actions[$0] } }

    mutating func add(_ action: PendingAction) { actions.append(action) }

    /// Removes an action that was settled.
    ///
    /// - Returns: false if it was settled before.
    mutating func settle(_ action: PendingAction, _ ending: SettledActions.Ending) -> Bool {
        guard let index = index(of: action.id) else { return false }
        actions.remove(at: index)
        settled.note(action.performed, ending)
        return true
    }

    /// Notes a completion of an action that is not under way.
    ///
    /// - Returns: how it was settled; nil if it was never performed.
    mutating func noteStray(_ id: ActionID) -> SettledActions.Entry? {
        defer { settled.noteAnswer(to: id) }
        return settled[id]
    }

    /// Brings an action's deadline forward.
    ///
    /// - Returns: false if it is not later than `deadline`.
    mutating func hasten(_ id: ActionID, to deadline: Instant) -> Bool {
        guard let index = index(of: id), actions[index].performed.deadline.uptime > deadline.uptime else {
            return false
        }
        actions[index].performed.deadline = deadline
        return true
    }

    /// The actions under way on a call, oldest first; notices are not.
    func pendingActions(on call: CallID) -> [PendingAction] {
        actions.filter { $0.call == call && $0.purpose != .notice }
    }

    /// The oldest action under way on a call, of one kind or of any; an end comes before all.
    func pendingAction(on call: CallID, _ kind: ActionKind? = nil) -> PendingAction? {
        let pending = pendingActions(on: call).filter { kind == nil || $0.kind == kind }
        return pending.first { $0.kind == .end } ?? pending.first
    }

    /// Whether a group is being made or left, whose members have the line then.
    var isGrouping: Bool { actions.contains { $0.kind == .setGroup } }

    /// The transactions that wait for an action, in order.
    func waiting(for action: ActionID) -> [TransactionID] {
        transactions.filter { $0.waitingFor?.action == action }.map(\.id)
    }

    mutating func makeRunnable(_ id: TransactionID) { runnable.append(id) }

    // MARK: What follows

    /// What an action that is performed now is among those that are announced together; nil if nothing is known of those
    /// that follow.
    mutating func part(_ action: CallAction, at provider: ProviderID, in id: TransactionID) -> ActionPart? {
        guard let index = index(of: id), !transactions[index].following.isEmpty else { return nil }
        return transactions[index].following.perform(action, at: provider)
    }

    /// Notes that it is to be worked out what will follow.
    mutating func noteBegun(_ id: TransactionID) {
        update(id) { $0.followingIsKnown = true }
        begun.append(id)
    }

    mutating func announce(_ following: [FollowingAction], of id: TransactionID) {
        update(id) { $0.following = following }
    }

    /// Forgets what was announced to a provider that has gone.
    mutating func forgetFollowing(at provider: ProviderID) {
        for index in transactions.indices { transactions[index].following.removeAll { $0.provider == provider } }
    }

    mutating func popBegun() -> [TransactionID] {
        defer { begun = [] }
        return begun
    }
}
