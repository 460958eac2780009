// AccessTier: how much of the calls of the machine a client may see and do.

/// What a client may do. The user's own programs may do all of it, a sandboxed app observes, and does what the user has
/// granted it.
public enum AccessTier: String, Sendable, Hashable, CaseIterable {
    /// See that there are calls, of which provider and in which state, and act as a provider.
    case observe
    /// Start calls, and act on all of them.
    case control
    /// Know who is calling: identities, recents, favorites, contacts and rules.
    case identity
    /// Change settings: Do Not Disturb, retention, plugins, accounts, screeners, the audio agent, access itself.
    case administer

    /// What can be granted; to observe is everybody's.
    public static let granted = allCases.filter { $0 != .observe }
}

extension AccessTier {
    /// Reads the tiers of a grant.
    ///
    /// - Throws: `InvalidArguments` for an empty list and for a word that is not a tier which can be granted.
    public static func set(of words: [String]) throws(CallError) -> Set<AccessTier> {
        let known = granted.map(\.rawValue).joined(separator: ", ")
        guard !words.isEmpty else { throw CallError(.invalidArguments, "no tiers, expected some of \(known)") }
        var tiers: Set<AccessTier> = []
        for word in words {
            guard let tier = AccessTier(rawValue: word), granted.contains(tier) else {
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
