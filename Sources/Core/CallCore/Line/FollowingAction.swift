// An action that a transaction will have performed if all goes well.

import CallModel

struct FollowingAction: Sendable {
    let provider: ProviderID
    let action: CallAction
    /// Its place behind the first of its provider's, from 1; nil before the provider knows of it.
    var number: UInt32?
    /// Whether it was performed or is not needed any more.
    var isOver = false

    /// Whether its provider knows of it, and waits for it.
    var isAwaited: Bool { number != nil && !isOver }

    init(provider: ProviderID, action: CallAction) {
        self.provider = provider
        self.action = action
    }
}

extension [FollowingAction] {
    /// Finds an action that is performed now. Skipped actions, announced before it to the same provider, are not needed
    /// any more.
    ///
    /// - Returns: its place among the actions that are announced together.
    mutating func perform(_ action: CallAction, at provider: ProviderID) -> ActionPart {
        let place = firstIndex { !$0.isOver && $0.provider == provider && $0.action == action }
        guard let place else { return .single }
        for earlier in 0...place where self[earlier].provider == provider { self[earlier].isOver = true }
        if let number = self[place].number { return .following(number) }
        var following: [CallAction] = []
        for later in indices where later > place && self[later].provider == provider {
            following.append(self[later].action)
            self[later].number = UInt32(following.count)
        }
        return following.isEmpty ? .single : .first(following)
    }
}
