// AccessTier: how much of the calls of the machine a client may see and do.

/// What a client may do. The user's own programs may do all of it, a sandboxed app observes, and does what the user has
/// granted it.
enum AccessTier: String, Sendable, Hashable, CaseIterable {
    /// See that there are calls, of which provider and in which state, and act as a provider.
    case observe
    /// Start calls, and act on all of them.
    case control
    /// Know who is calling: identities, recents, favorites, contacts and rules.
    case identity
    /// Change settings: Do Not Disturb, retention, plugins, accounts, screeners, the audio agent, access itself.
    case administer

    /// What can be granted; to observe is everybody's.
    static let granted = allCases.filter { $0 != .observe }
}
