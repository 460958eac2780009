// CallRecord: what the recents keep of a call.

/// One row of the recents.
public struct CallRecord: Sendable, Hashable {
    public let call: CallID
    public let provider: ProviderID
    public let direction: CallDirection
    /// Nil if the other party withholds it.
    public var handle: Handle?
    public var name = ""
    public var nameSource = CallerNameSource.none
    public var video = false
    public var startedAt: WallTime
    public var connectedAt: WallTime = 0
    /// What a screener said of the call; nil if none was asked.
    public var screening: ScreeningVerdict?
    /// Who filtered or screened the call: a list, `do-not-disturb`, or the screener's name; "" if nobody did.
    public var filteredBy = ""
    /// Nil while the call goes on.
    public var end: End?

    /// How a call ended.
    public struct End: Sendable, Hashable {
        public let at: WallTime
        public let reason: Reason
        public let by: Origin
        /// How long the call was connected, in ms, by a clock that does not jump.
        public let duration: UInt64
        /// What the network told.
        public let network: NetworkEnd

        public init(
            at: WallTime, reason: Reason, by: Origin, duration: UInt64 = 0, network: NetworkEnd = NetworkEnd()
        ) {
            (self.at, self.reason, self.by, self.duration, self.network) = (at, reason, by, duration, network)
        }
    }

    /// Why a call ended.
    public enum Reason: Sendable, Hashable {
        case ended(EndReason)
        /// The call was kept from ringing.
        case filtered(FilterReason)
        /// The daemon was killed during the call.
        case interrupted
    }

    public init(_ call: CallID, provider: ProviderID, direction: CallDirection, startedAt: WallTime) {
        self.call = call
        self.provider = provider
        self.direction = direction
        self.startedAt = startedAt
    }

    /// Whether the call goes on.
    public var isOpen: Bool { end == nil }

    /// Whether somebody called and did not get through to the user: nobody answered or declined, here or elsewhere. A
    /// blocked caller is not missed.
    public var isMissed: Bool {
        guard direction == .incoming, connectedAt == 0, let end else { return false }
        switch end.reason {
        case .filtered(.doNotDisturb), .filtered(.emergency), .interrupted: return true
        case .filtered(.blocked), .filtered(.restrictedSharing), .filtered(.sensitiveParticipants): return false
        case .ended(.declined), .ended(.declinedElsewhere), .ended(.answeredElsewhere), .ended(.localEnded),
            .ended(.transferred):
            return false
        case .ended(.failed), .ended(.remoteEnded), .ended(.unanswered), .ended(.providerCrashed),
            .ended(.providerRestarted), .ended(.timedOut), .ended(.displaced):
            return true
        }
    }
}

extension CallRecord.Reason {
    private static let filteredWord = "filtered"
    private static let interruptedWord = "interrupted"

    /// The word for the reason, on the bus and in the file.
    public var word: String {
        switch self {
        case .ended(let reason): reason.rawValue
        case .filtered: Self.filteredWord
        case .interrupted: Self.interruptedWord
        }
    }

    /// Why the call was kept from ringing; nil if it rang.
    public var filter: FilterReason? {
        if case .filtered(let filter) = self { filter } else { nil }
    }

    /// - Returns: nil for an unknown word, and for a filtered call without the reason.
    public init?(word: String, filter: FilterReason?) {
        switch (word, filter) {
        case (Self.filteredWord, let filter?): self = .filtered(filter)
        case (Self.interruptedWord, _): self = .interrupted
        case (let word, _):
            guard let reason = EndReason(rawValue: word) else { return nil }
            self = .ended(reason)
        }
    }
}
