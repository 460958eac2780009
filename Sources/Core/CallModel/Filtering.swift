// Why a call does not ring, and the exceptions from Do Not Disturb.

/// Why a call was not let through; the words of the signal `CallFiltered`.
public enum FilterReason: String, Sendable, Hashable, CaseIterable {
    case blocked
    case doNotDisturb = "do-not-disturb"
    case restrictedSharing = "restricted-sharing"
    case sensitiveParticipants = "sensitive-participants"
    /// An emergency call goes on: nothing else gets the line.
    case emergency

    /// What the provider that reported the call is told.
    public var errorCode: ErrorCode {
        switch self {
        case .blocked: .filteredByBlockList
        case .doNotDisturb: .filteredByDoNotDisturb
        case .restrictedSharing: .filteredDuringRestrictedSharingMode
        case .sensitiveParticipants: .filteredBySensitiveParticipants
        case .emergency: .emergencyInProgress
        }
    }
}

/// Whose calls come through while Do Not Disturb is on, besides emergency calls and the allow list.
public struct DoNotDisturbRules: Sendable, Hashable {
    public var allowsFavorites = true
    /// A caller who was filtered and calls again within three minutes.
    public var allowsRepeated = true
    public var allowedProviders: Set<ProviderID> = []

    public init() {}
}

/// What a screener says of a call.
public struct ScreeningVerdict: Sendable, Hashable {
    /// In order of strictness.
    public enum Word: String, Sendable, Hashable, CaseIterable, Comparable {
        case allow, silence, reject

        public static func < (left: Self, right: Self) -> Bool { left.strictness < right.strictness }

        private var strictness: Int {
            switch self {
            case .allow: 0
            case .silence: 1
            case .reject: 2
            }
        }
    }

    /// The longest reason that is kept, in characters.
    public static let maximumReasonLength = 128

    public let word: Word
    /// In the screener's own words; empty if it gave none.
    public let reason: String

    public init(_ word: Word, reason: String = "") {
        self.word = word
        self.reason = reason
    }

    /// What a rejected call is filtered for; a reason that screeners may not give counts as `blocked`.
    public var filter: FilterReason {
        guard let filter = FilterReason(rawValue: reason), filter != .emergency else { return .blocked }
        return filter
    }
}
