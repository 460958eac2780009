// What is remembered of a call: one row of the recents.

/// A call as the recents keep it. Dates are µs since the epoch, 0 = never.
public struct CallRecord: Sendable, Hashable {
    public let call: CallID
    public let provider: ProviderID
    public let direction: CallDirection
    /// Nil if the other party withholds it.
    public var handle: Handle?
    public var name = ""
    public var nameSource = CallerNameSource.none
    public var video = false
    public var startedAt: UInt64
    public var connectedAt: UInt64 = 0
    public var endedAt: UInt64 = 0
    /// How long it was connected, in ms, by a clock that does not jump.
    public var duration: UInt64 = 0
    /// Why it ended: the word of an `EndReason`, `filtered` if it never rang, `interrupted` if nobody knows; "" while it
    /// goes on.
    public var reason = ""
    /// The word of an `Origin`; "" while it goes on.
    public var endedBy = ""
    /// Why it was kept from ringing: the word of a `FilterReason`; "" if it rang.
    public var filtered = ""
    /// Who filtered or screened it: a list, `do-not-disturb`, or a screener's name; "" if nobody did.
    public var filteredBy = ""
    /// What a screener said of it: the word of its verdict, and after a colon its own words; "" if none was asked.
    public var screening = ""
    /// Whether the call goes on.
    public var isOpen = true

    /// The reason of a call that never rang.
    public static let filtered = "filtered"
    /// The reason of a call whose end was not seen, as the daemon was killed.
    public static let interrupted = "interrupted"

    public init(_ call: CallID, provider: ProviderID, direction: CallDirection, startedAt: UInt64) {
        self.call = call
        self.provider = provider
        self.direction = direction
        self.startedAt = startedAt
    }

    /// Whether somebody called and did not get through to the user: nobody answered, here or elsewhere, and nobody
    /// declined. A caller who is blocked is not missed.
    public var isMissed: Bool {
        guard direction == .incoming, !isOpen, connectedAt == 0 else { return false }
        switch FilterReason(rawValue: filtered) {
        case .doNotDisturb, .emergency: return true
        case .blocked, .restrictedSharing, .sensitiveParticipants: return false
        case nil: guard filtered.isEmpty else { return false }
        }
        switch EndReason(rawValue: reason) {
        case .declined, .declinedElsewhere, .answeredElsewhere, .localEnded: return false
        case .failed, .remoteEnded, .unanswered, .providerCrashed, .timedOut, .displaced, nil: return true
        }
    }
}
