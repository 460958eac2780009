// All providers: those that are here, what the user chose among them, and the order in which they are asked.

import CallModel

struct ProviderTable: Sendable {
    private(set) var all: [ProviderID: Provider] = [:]
    /// The user's choice of providers, by URI scheme or by handle type.
    private(set) var defaults: [String: ProviderID] = [:]
    /// The providers that the user marked as ones that reach the emergency services.
    private(set) var marked: Set<ProviderID> = []
    /// The places of the providers of plugins, also of those that registered in earlier runs of the daemon.
    private var places: [ProviderID: UInt64] = [:]
    /// Counts the registrations of new providers.
    private var latest: UInt64 = 0
    /// How many places are kept.
    private let capacity: Int
    /// Whether a provider has changed since this was asked last.
    private var haveChanged = false

    init(capacity: Int) { self.capacity = capacity }

    subscript(id: ProviderID) -> Provider? { all[id] }
    var values: Dictionary<ProviderID, Provider>.Values { all.values }

    func isReady(_ id: ProviderID) -> Bool { all[id]?.isReady == true }

    /// The providers of plugins that registered in this run of the daemon or an earlier one, in the order in which they did
    /// for the first time.
    var known: [ProviderID] { places.sorted { $0.value < $1.value }.map(\.key) }

    // MARK: They come and go

    /// - Parameter former: the provider as observers saw it last.
    mutating func register(
        _ id: ProviderID, _ configuration: ProviderConfiguration, isPackaged: Bool, _ owner: Owner,
        after former: Provider?, _ outbox: inout Outbox
    ) {
        let provider = Provider(
            id: id, configuration: configuration, isPackaged: isPackaged, owner: owner,
            isMarked: marked.contains(id), order: place(of: id, owner))
        put(provider)
        if let former {
            if former.shown != provider.shown { outbox.append(.providerChanged(provider)) }
        } else {
            outbox.append(.providerAdded(provider))
        }
        noteUnentitledNumbers(of: provider, &outbox)
    }

    mutating func reconfigure(_ id: ProviderID, _ configuration: ProviderConfiguration, _ outbox: inout Outbox) {
        guard let former = all[id] else { return }
        var provider = former
        provider.configuration = configuration
        put(provider)
        if former.shown != provider.shown { outbox.append(.providerChanged(provider)) }
        if former.configuration.emergencyNumbers != configuration.emergencyNumbers {
            noteUnentitledNumbers(of: provider, &outbox)
        }
    }

    /// The process behind a provider is down.
    mutating func lose(_ id: ProviderID) {
        guard var provider = all[id], provider.isReady else { return }
        provider.isReady = false
        put(provider)
    }

    mutating func remove(_ id: ProviderID) {
        all[id] = nil
        haveChanged = true
    }

    // MARK: What the user chose

    mutating func choose(defaults choice: [String: ProviderID]) { defaults = choice }

    /// The user's choice replaces the former one.
    mutating func mark(_ choice: Set<ProviderID>, _ outbox: inout Outbox) {
        marked = choice
        for provider in all.values.sorted(by: { $0.order < $1.order })
        where provider.isMarked != choice.contains(provider.id) {
            var marked = provider
            marked.isMarked.toggle()
            put(marked)
            if provider.shown != marked.shown { outbox.append(.providerChanged(marked)) }
        }
    }

    // MARK: Their order

    /// Providers that registered in earlier runs of the daemon keep their order.
    mutating func know(_ order: [ProviderID]) {
        for id in order where places[id] == nil {
            latest += 1
            keep(latest, of: id)
        }
    }

    /// The place of a provider among all that ever registered. That of a plugin keeps it when it comes again, since the
    /// workers of plugins start side by side: which of them is the first is different each time.
    private mutating func place(of id: ProviderID, _ owner: Owner) -> UInt64 {
        if let place = all[id]?.order ?? places[id] { return place }
        latest += 1
        if owner.isPlugin { keep(latest, of: id) }
        return latest
    }

    /// Keeps a place; that of the first provider that is gone makes room for it.
    private mutating func keep(_ place: UInt64, of id: ProviderID) {
        if places.count >= capacity {
            guard let gone = known.first(where: { all[$0] == nil }) else { return }
            places[gone] = nil
        }
        places[id] = place
    }

    private mutating func put(_ provider: Provider) {
        all[provider.id] = provider
        haveChanged = true
    }

    /// Whether a provider has changed since this was asked last.
    mutating func popChanged() -> Bool {
        defer { haveChanged = false }
        return haveChanged
    }

    private func noteUnentitledNumbers(of provider: Provider, _ outbox: inout Outbox) {
        guard !provider.isEntitled, !provider.configuration.emergencyNumbers.isEmpty else { return }
        outbox.note(
            .unentitledEmergency, .provider(provider.id),
            "the provider declares emergency numbers; they count once the user has marked it")
    }
}
