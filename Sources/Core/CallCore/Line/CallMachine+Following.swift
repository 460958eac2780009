// Announces a transaction's further actions to their provider, together with the first of them.

import CallModel

extension CallMachine {
    /// The place of an action that is about to be performed among those that are announced together.
    mutating func part(
        of action: CallAction, on call: CallStanding, _ purpose: PendingAction.Purpose, in transaction: Transaction
    ) -> ActionPart {
        guard purpose == .requested || purpose == .clearing else { return .single }
        if var following = work[transaction.id]?.following, !following.isEmpty {
            let part = following.take(action, at: call.provider)
            work.update(transaction.id) { $0.following = following }
            return part
        }
        if !isTrial, work[transaction.id]?.followingIsKnown == false,
            standing.mayBeFollowed(action, on: call, purpose, in: transaction)
        {
            work.update(transaction.id) { $0.followingIsKnown = true }
            work.noteBegun(transaction.id)
        }
        return .single
    }

    /// Completes the first actions of transactions with those that will follow if all goes well.
    mutating func tellWhatFollows() {
        for id in work.takeBegun() where work[id].map({ $0.failure == nil }) ?? false {
            let begun = effects.performs.filter { $0.transaction == id }
            let all = (begun + actionsToCome(of: id)).map {
                FollowingAction(provider: $0.provider, action: $0.action)
            }
            var following = all.filter { action in all.count { $0.provider == action.provider } > 1 }
            if following.isEmpty { continue }
            effects.replacePerforms { action in
                action.transaction == id ? action.with(following.take(action.action, at: action.provider)) : action
            }
            work.update(id) { $0.following = following }
        }
    }

    /// What a transaction will have performed from here on if every action is fulfilled.
    private func actionsToCome(of id: TransactionID) -> [PerformedAction] {
        var trial = trial
        var found: [PerformedAction] = []
        while let next = trial.work.actions.first {
            for case .perform(let action) in trial.apply(.actionFulfilled(next.id, date: 0), at: now)
            where action.transaction == id {
                found.append(action)
            }
            guard let transaction = trial.work[id], transaction.failure == nil else { return found }
        }
        return found
    }

    /// Forgets what was announced to a provider that has gone.
    mutating func forgetFollowing(at provider: ProviderID) {
        for id in work.transactions.map(\.id) { work.update(id) { $0.following.removeAll { $0.provider == provider } } }
    }

    /// Tells the providers that the announced actions will not follow.
    mutating func withdraw(_ following: [FollowingAction], of id: TransactionID, failed: Bool) {
        var told: Set<ProviderID> = []
        for action in following where action.isAwaited && told.insert(action.provider).inserted {
            guard providers[action.provider]?.isReady == true else { continue }
            effects.append(.transactionEnded(id, on: action.provider, failed: failed))
        }
    }
}
