// Providers come, change, die and leave.

import CallModel

extension CallMachine {
    mutating func register(_ id: ProviderID, _ configuration: ProviderConfiguration, _ isPackaged: Bool, _ owner: Owner)
    {
        let former = providers[id]
        if former?.isReady == true {
            providers[id]?.isReady = false
            endAll(of: id, .providerCrashed, .providerLost, .providerReplaced, rule: .providerDied)
        }
        let provider = Provider(
            id: id, configuration: configuration, isPackaged: isPackaged, owner: owner,
            isMarked: emergencyProviders.contains(id),
            order: place(of: id))
        providers[id] = provider
        if let former {
            if former.shown != provider.shown { effects.append(.providerChanged(provider)) }
        } else {
            effects.append(.providerAdded(provider))
        }
        noteUnentitledNumbers(of: provider)
    }

    /// The place of a provider among all that ever registered. A plugin keeps it when it comes again, since the workers of
    /// plugins start side by side: which of them is the first is different each time.
    private mutating func place(of id: ProviderID) -> UInt64 {
        if let place = providers[id]?.order ?? providerPlaces[id] { return place }
        latestProvider += 1
        return latestProvider
    }

    mutating func know(_ order: [ProviderID]) {
        for id in order where providerPlaces[id] == nil {
            latestProvider += 1
            providerPlaces[id] = latestProvider
        }
    }

    mutating func reconfigure(_ id: ProviderID, _ configuration: ProviderConfiguration) {
        guard var provider = providers[id] else { return }
        let former = provider
        provider.configuration = configuration
        providers[id] = provider
        if former.shown != provider.shown { effects.append(.providerChanged(provider)) }
        if former.configuration.emergencyNumbers != configuration.emergencyNumbers {
            noteUnentitledNumbers(of: provider)
        }
    }

    /// Rule 18: its calls end, its actions fail, and other providers' calls do not change.
    mutating func lose(_ id: ProviderID) {
        guard var provider = providers[id], provider.isReady else { return }
        provider.isReady = false
        providers[id] = provider
        effects.append(.providerChanged(provider))
        endAll(of: id, .providerCrashed, .providerLost, .providerDied, rule: .providerDied)
    }

    /// Invalidated, or its plugin taken away: calls end `failed` (CXProvider.invalidate).
    mutating func remove(_ id: ProviderID) {
        guard let provider = providers[id] else { return }
        providers[id]?.isReady = false
        endAll(of: id, .failed, .providerLost, .providerLeft, rule: nil)
        providers[id] = nil
        if provider.isReady { effects.append(.reset(id)) }
        effects.append(.providerRemoved(id))
    }

    private mutating func endAll(
        of id: ProviderID, _ reason: EndReason, _ outcome: Outcome, _ event: Cause.Event, rule: Rule?
    ) {
        let cause = Cause(event, by: .provider(id), rule: rule)
        forgetFollowing(at: id)
        holdStorms.forget(id)
        for action in work.actions where action.performed.provider == id { settle(action, outcome) }
        for call in calls.live where call.provider == id {
            if !passOn(call.id, cause) { end(call.id, reason, cause: cause) }
        }
        dropWaiting(of: id)
        audio.lose(id, &effects)
    }
}
