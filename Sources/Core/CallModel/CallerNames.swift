// What the far side of a call is called, by each of those who know a name.

/// The names for the far side of a call; the first one in order of trust is shown.
public struct CallerNames: Sendable, Hashable {
    /// From the provider's own address book; empty for none.
    public var provider = ""
    /// The name found for the handle, and where; empty and `none` if there is none.
    public var found = ""
    public var source = CallerNameSource.none
    /// What the network claims; empty for none.
    public var network = ""

    public init() {}

    /// The name to show; empty if there is none.
    public var shown: String {
        switch shownSource {
        case .provider: provider
        case .contacts, .favorite, .directory: found
        case .network: network
        case .none: ""
        }
    }

    /// Where `shown` comes from.
    public var shownSource: CallerNameSource {
        if !provider.isEmpty { return .provider }
        if !found.isEmpty { return source }
        return network.isEmpty ? .none : .network
    }
}
