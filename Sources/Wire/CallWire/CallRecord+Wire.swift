// A row of the recents as a{sv}, between host and store and on the bus.

public import CallModel
public import DBus

extension CallRecord {
    /// The keys of the contract. Empty values and flags that are false are left out.
    public var wire: VariantDictionary {
        var wire: VariantDictionary = [
            "call": .string(call.description), "provider": .string(provider.rawValue),
            "direction": .string(direction.rawValue), "started": .uint64(startedAt), "open": .bool(isOpen),
        ]
        wire.set("handle", handle?.wire)
        if !name.isEmpty {
            wire.set("name", name)
            wire.set("name-source", nameSource.rawValue)
        }
        if video { wire.set("video", true) }
        for (key, number) in [("connected", connectedAt), ("ended", endedAt), ("duration-ms", duration)]
        where number != 0 {
            wire.set(key, number)
        }
        for (key, text) in [
            ("reason", reason), ("ended-by", endedBy), ("filtered", filtered), ("filtered-by", filteredBy),
            ("screening", screening),
        ] where !text.isEmpty {
            wire.set(key, text)
        }
        return wire
    }

    /// - Throws: `InvalidArguments`, naming the key.
    public init(wire: VariantDictionary) throws(CallError) {
        let word: String = try wire.needed("provider")
        guard let provider = ProviderID(word) else {
            throw CallError(.invalidArguments, "provider is \"\(word.excerpt)\", expected an id")
        }
        self.init(
            try wire.neededCallID("call"), provider: provider,
            direction: try wire.optionalWord("direction") ?? .incoming,
            startedAt: try wire.needed("started"))
        if let pair: Handle.Wire = try wire.optional("handle") { handle = try Handle(wire: pair) }
        name = try wire.optional("name", as: String.self)?.displayable ?? ""
        nameSource = name.isEmpty ? .none : try wire.optionalWord("name-source") ?? .none
        video = try wire.optional("video") ?? false
        connectedAt = try wire.optional("connected") ?? 0
        endedAt = try wire.optional("ended") ?? 0
        duration = try wire.optional("duration-ms") ?? 0
        reason = try wire.optional("reason", as: String.self)?.excerpt ?? ""
        endedBy = try wire.optional("ended-by", as: String.self)?.excerpt ?? ""
        filtered = try wire.optional("filtered", as: String.self)?.excerpt ?? ""
        filteredBy = try wire.optional("filtered-by", as: String.self)?.displayable ?? ""
        screening = try wire.optional("screening", as: String.self)?.displayable ?? ""
        isOpen = try wire.optional("open") ?? false
    }
}
