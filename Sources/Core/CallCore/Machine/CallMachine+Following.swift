// What a provider is told of a transaction's other actions for it, along with the first of them.

import CallModel

extension CallMachine {
    /// The place of an action that is about to be performed among those of which its provider is told together.
    mutating func part(
        of action: CallAction, on call: Call, _ purpose: PendingAction.Purpose, in transaction: Transaction
    ) -> ActionPart {
        if !transaction.foreseen.isEmpty {
            guard purpose == .requested || purpose == .clearing else { return .single }
            return takeForeseen(action, at: call.provider, in: transaction.id)
        }
        if !isRehearsal, transactions[transaction.id]?.isForeseen == false,
            mayBeFollowed(action, on: call, purpose, in: transaction)
        {
            transactions.update(transaction.id) { $0.isForeseen = true }
            unforeseen.append(transaction.id)
        }
        return .single
    }

    /// Whether its provider may have more to do for the transaction. Must never be false when it has.
    private func mayBeFollowed(
        _ action: CallAction, on call: Call, _ purpose: PendingAction.Purpose, in transaction: Transaction
    ) -> Bool {
        switch purpose {
        case .compensation, .notice: return false
        case .requested, .clearing: break
        }
        if transaction.index + 1 < transaction.actions.count { return true }
        guard purpose == .clearing else { return action.kind == .setHeld && call.group != nil }
        let goal = transaction.current.flatMap { calls[$0.call]?.provider }
        return goal == call.provider || calls.hasSeveral(of: call.provider)
    }

    /// Completes the first actions of transactions with those that will follow if all goes well.
    mutating func tellWhatFollows() {
        let transactions = unforeseen
        unforeseen = []
        for id in transactions where self.transactions[id].map({ $0.failure == nil }) ?? false {
            let begun = effects.ask.indices.compactMap { index -> (index: Int, action: PerformedAction)? in
                guard case .perform(let action) = effects.ask[index], action.transaction == id else { return nil }
                return (index, action)
            }
            var list = begun.map { Foreseen(provider: $0.action.provider, action: $0.action.action) } + foresee(id)
            let alone = Set(list.map(\.provider)).filter { provider in list.count { $0.provider == provider } == 1 }
            list.removeAll { alone.contains($0.provider) }
            if list.isEmpty { continue }
            self.transactions.update(id) { $0.foreseen = list }
            for (index, action) in begun {
                effects.ask[index] = .perform(action.with(takeForeseen(action.action, at: action.provider, in: id)))
            }
        }
    }

    /// What a transaction will have performed from here on if every action is fulfilled.
    private func foresee(_ id: TransactionID) -> [Foreseen] {
        var copy = rehearsal
        var found: [Foreseen] = []
        while let next = copy.actions.values.map(\.id).min(by: { $0.number < $1.number }) {
            let effects = copy.apply(.actionFulfilled(next, date: 0), at: now)
            for case .perform(let action) in effects where action.transaction == id {
                found.append(Foreseen(provider: action.provider, action: action.action))
            }
            guard let transaction = copy.transactions[id], transaction.failure == nil else { return found }
        }
        return found
    }

    /// Finds an action among those that were foreseen. What was to come before it at the same provider, and did not, is
    /// not needed any more.
    private mutating func takeForeseen(
        _ action: CallAction, at provider: ProviderID, in id: TransactionID
    ) -> ActionPart {
        guard var list = transactions[id]?.foreseen,
            let index = list.firstIndex(where: { !$0.isOver && $0.provider == provider && $0.action == action })
        else { return .single }
        for earlier in 0...index where list[earlier].provider == provider { list[earlier].isOver = true }
        let part: ActionPart
        if let number = list[index].number {
            part = .following(number)
        } else {
            var following: [CallAction] = []
            for later in list.indices where later > index && list[later].provider == provider {
                following.append(list[later].action)
                list[later].number = UInt32(following.count)
            }
            part = following.isEmpty ? .single : .first(following)
        }
        transactions.update(id) { $0.foreseen = list }
        return part
    }

    /// A provider is gone, and what it knew with it.
    mutating func forgetForeseen(at provider: ProviderID) {
        for transaction in Array(transactions.values)
        where transaction.foreseen.contains(where: { $0.provider == provider }) {
            transactions.update(transaction.id) { $0.foreseen.removeAll { $0.provider == provider } }
        }
    }

    /// Tells the providers which know what was to follow that it will not.
    mutating func withdraw(_ foreseen: [Foreseen], of id: TransactionID, failed: Bool) {
        var told: [ProviderID] = []
        for action in foreseen where action.isAwaited && !told.contains(action.provider) {
            told.append(action.provider)
            guard providers[action.provider]?.isReady == true else { continue }
            effects.append(.transactionEnded(id, on: action.provider, failed: failed))
        }
    }
}

/// An action that a transaction will have performed if all goes well.
struct Foreseen: Sendable {
    let provider: ProviderID
    let action: CallAction
    /// Its place behind the first of its provider's, from 1; nil before the provider knows of it.
    var number: UInt32?
    /// It was performed, or is not needed any more.
    var isOver = false

    /// Whether its provider knows of it, and waits for it.
    var isAwaited: Bool { number != nil && !isOver }

    init(provider: ProviderID, action: CallAction) {
        self.provider = provider
        self.action = action
    }
}

extension CallTable {
    /// Whether a provider has several calls that may have to give way.
    func hasSeveral(of provider: ProviderID) -> Bool {
        guard let index = tallyOfProvider[provider] else { return false }
        let tally = tallies[index]
        return tally.groupsCounted > 0 || tally.loneCounted + tally.ringing.count > 1
    }
}
