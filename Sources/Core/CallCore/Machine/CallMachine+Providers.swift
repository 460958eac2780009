// Providers come, change, die and leave.

public import CallModel

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
            isMarked: emergencyProviders.contains(id), order: place(of: id, owner))
        providers[id] = provider
        if let former {
            if former.shown != provider.shown { effects.append(.providerChanged(provider)) }
        } else {
            effects.append(.providerAdded(provider))
        }
        noteUnentitledNumbers(of: provider)
    }

    /// The place of a provider among all that ever registered. That of a plugin keeps it when it comes again, since the
    /// workers of plugins start side by side: which of them is the first is different each time.
    private mutating func place(of id: ProviderID, _ owner: Owner) -> UInt64 {
        if let place = providers[id]?.order ?? providerPlaces[id] { return place }
        latestProvider += 1
        if owner.isPlugin { keep(latestProvider, of: id) }
        return latestProvider
    }

    /// Keeps a place; that of the first provider that is gone makes room for it.
    private mutating func keep(_ place: UInt64, of id: ProviderID) {
        if providerPlaces.count >= limits.knownProviders {
            guard let gone = knownProviders.first(where: { providers[$0] == nil }) else { return }
            providerPlaces[gone] = nil
        }
        providerPlaces[id] = place
    }

    mutating func know(_ order: [ProviderID]) {
        for id in order where providerPlaces[id] == nil {
            latestProvider += 1
            keep(latestProvider, of: id)
        }
    }

    /// The providers of plugins that registered in this run of the daemon or an earlier one, in the order in which they did
    /// for the first time.
    public var knownProviders: [ProviderID] { providerPlaces.sorted { $0.value < $1.value }.map(\.key) }

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
