// A row of the recents as a{sv}, between host and store and on the bus.

public import CallModel
public import DBus

extension CallRecord {
    /// The keys of org.opencallkit.Recents1 that follow from the record.
    public var wire: VariantDictionary {
        [
            "call": .string(call.description), "provider-id": .string(provider.rawValue),
            "direction": .string(direction.rawValue),
            "handle": Variant(Struct(handle?.type.rawValue ?? "", handle?.value ?? "")),
            "name": .string(name), "name-source": .string(nameSource.rawValue), "video": .bool(video),
            "started": startedAt.inVariant, "connected": connectedAt.inVariant, "ended": (end?.at ?? 0).inVariant,
            "duration-ms": .uint64(end?.duration ?? 0), "reason": .string(end?.reason.word ?? ""),
            "ended-by": .string(end?.by.rawValue ?? ""), "filtered": .string(end?.reason.filter?.rawValue ?? ""),
            "filtered-by": .string(filteredBy), "screening": .string(screening?.word.rawValue ?? ""),
            "screening-reason": .string(screening?.reason ?? ""), "open": .bool(isOpen),
            "end-detail": .string(end?.network.detail?.rawValue ?? ""), "end-code": .string(end?.network.code ?? ""),
        ]
    }

    /// - Throws: `InvalidArguments`, naming the key.
    public init(wire: VariantDictionary) throws(CallError) {
        let word: String = try wire.needed("provider-id")
        guard let provider = ProviderID(word) else {
            throw CallError(.invalidArguments, "provider is \"\(word.excerpt)\", expected an id")
        }
        self.init(
            try wire.neededCallID("call"), provider: provider, direction: try wire.word("direction") ?? .incoming,
            startedAt: try wire.needed("started"))
        if let pair: Handle.Wire = try wire.optional("handle"), pair != Struct("", "") {
            handle = try Handle(wire: pair)
        }
        name = try wire.optional("name", as: String.self)?.displayable ?? ""
        nameSource = name.isEmpty ? .none : try wire.word("name-source") ?? .none
        video = try wire.optional("video") ?? false
        connectedAt = try wire.optional("connected") ?? 0
        filteredBy = try wire.optional("filtered-by", as: String.self)?.displayable ?? ""
        if let verdict: ScreeningVerdict.Word = try wire.word("screening") {
            screening = ScreeningVerdict(
                verdict, reason: try wire.optional("screening-reason", as: String.self)?.displayable ?? "")
        }
        end = try wire.optional("open") ?? false ? nil : try End(wire: wire)
    }
}

extension CallRecord.End {
    fileprivate init(wire: VariantDictionary) throws(CallError) {
        let word: String = try wire.needed("reason")
        guard let reason = CallRecord.Reason(word: word, filter: try wire.word("filtered")) else {
            throw CallError(.invalidArguments, "reason is \"\(word.excerpt)\", expected why the call ended")
        }
        guard let origin: Origin = try wire.word("ended-by") else {
            throw CallError(.invalidArguments, "ended-by is missing")
        }
        self.init(
            at: try wire.optional("ended") ?? 0, reason: reason, by: origin,
            duration: try wire.optional("duration-ms") ?? 0,
            network: NetworkEnd(
                try wire.word("end-detail"), code: try wire.optional("end-code", as: String.self)?.networkWord ?? ""))
    }
}

extension VariantDictionary {
    /// Returns nil if the word is missing or empty.
    fileprivate func word<Word: RawRepresentable & CaseIterable>(_ key: String) throws(CallError) -> Word?
    where Word.RawValue == String {
        guard let text = try optional(key, as: String.self), !text.isEmpty else { return nil }
        return try Self.word(text, of: key)
    }
}
