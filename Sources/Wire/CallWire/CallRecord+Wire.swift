// A row of the recents as a{sv}, between host and store and on the bus.

public import CallModel
public import DBus

extension CallRecord {
    /// The keys of the contract; what is empty or not so is left out.
    public var wire: DetailList {
        var details: [(String, Variant)] = [
            ("call", .string(call.description)), ("provider", .string(provider.rawValue)),
            ("direction", .string(direction.rawValue)), ("started", .uint64(startedAt)), ("open", .bool(isOpen)),
        ]
        if let handle { details.append(("handle", Variant(handle.wire))) }
        if !name.isEmpty { details += [("name", .string(name)), ("name-source", .string(nameSource.rawValue))] }
        if video { details.append(("video", .bool(true))) }
        if connectedAt != 0 { details.append(("connected", .uint64(connectedAt))) }
        if endedAt != 0 { details.append(("ended", .uint64(endedAt))) }
        if duration != 0 { details.append(("duration-ms", .uint64(duration))) }
        if !reason.isEmpty { details.append(("reason", .string(reason))) }
        if !endedBy.isEmpty { details.append(("ended-by", .string(endedBy))) }
        if !filtered.isEmpty { details.append(("filtered", .string(filtered))) }
        if !filteredBy.isEmpty { details.append(("filtered-by", .string(filteredBy))) }
        if !screening.isEmpty { details.append(("screening", .string(screening))) }
        return DetailList(details)
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
