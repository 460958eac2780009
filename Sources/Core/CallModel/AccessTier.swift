// AccessTier: what a client of the bus may do.

/// What a client of the bus may do. The user's own programs have all tiers. A sandboxed app has `observe`, and the
/// tiers that the user has granted to it. No tier includes another one. Raw values are the words on the bus.
public enum AccessTier: String, Sendable, Hashable, CaseIterable {
    /// See that there are calls, of which provider and in which state, and act as a provider.
    case observe
    /// Start calls, and act on all of them.
    case control
    /// Know who is calling: identities, recents, favorites, contacts and rules.
    case identity
    /// Change settings: Do Not Disturb, retention, plugins, accounts, screeners, the audio agent, access itself.
    case administer

    /// The tiers that can be granted. Every client has `observe`.
    public static let grantable = allCases.filter { $0 != .observe }
}

extension AccessTier {
    /// Reads the words of tiers.
    ///
    /// - Throws: `InvalidArguments` for an empty list, and for a word that is not in `grantable`.
    public static func set(of words: [String]) throws(CallError) -> Set<AccessTier> {
        let known = grantable.map(\.rawValue).joined(separator: ", ")
        guard !words.isEmpty else { throw CallError(.invalidArguments, "no tiers, expected some of \(known)") }
        var tiers: Set<AccessTier> = []
        for word in words {
            guard let tier = AccessTier(rawValue: word), grantable.contains(tier) else {
                throw CallError(
                    .invalidArguments, "\"\(word.excerpt)\" is not a tier that can be granted, expected one of \(known)"
                )
            }
            tiers.insert(tier)
        }
        return tiers
    }

    /// The words of tiers, in the order of the tiers.
    public static func words(of tiers: Set<AccessTier>) -> [String] { allCases.filter(tiers.contains).map(\.rawValue) }
}
