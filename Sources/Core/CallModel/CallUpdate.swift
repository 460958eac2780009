// What a provider tells about a call: CXCallUpdate as a plain value.

/// Whether the far side asks that the call go on with somebody else.
public enum TransferRequest: Sendable, Hashable {
    case to(Handle)
    case withdrawn

    public var handle: Handle? { if case .to(let handle) = self { handle } else { nil } }
}

/// New facts about a call. Nil means unchanged; what was never said is taken as supported.
public struct CallUpdate: Sendable, Hashable {
    public var remoteHandle: Handle?
    /// The name in the provider's own address book.
    public var localizedCallerName: String?
    /// The name that the network claims for the far side.
    public var networkName: String?
    /// The handle that was called at first, and has forwarded the call.
    public var divertedBy: Handle?
    public var verification: CallerVerification?
    /// Absolute path of a picture of the far side.
    public var image: String?
    public var progress: CallProgress?
    /// How the sound is encrypted and coded, in words of the provider's.
    public var encryption: String?
    public var codec: String?
    public var quality: CallQuality?
    public var supportsHolding: Bool?
    /// Whether holding is possible at this moment, e.g. not during the network's own hold.
    public var canHoldNow: Bool?
    public var supportsGrouping: Bool?
    public var supportsUngrouping: Bool?
    public var supportsDTMF: Bool?
    public var hasVideo: Bool?
    /// The far end put us on hold, or took us back.
    public var remoteHeld: Bool?
    /// The network held the call by itself (a fact), or wants it back (a request, arbitration rule 13).
    public var onHold: Bool?
    public var emergency: Bool?
    public var transferRequest: TransferRequest?

    public init() {}
}
