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
    /// Whether the handle is withheld from now on.
    public var withholdsHandle = false
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

    /// The caller after the update; nil = the same as before.
    public var caller: Caller? { withholdsHandle ? .withheld : remoteHandle.map { Caller($0) } }

    /// Takes in who is at the far side. What was told of somebody else goes with the handle; what was told while the handle
    /// was withheld is of the same party.
    public mutating func identify(by newer: CallUpdate) {
        if remoteHandle != nil, let caller = newer.caller, caller != Caller(remoteHandle) {
            (localizedCallerName, networkName, divertedBy, verification, image) = (nil, nil, nil, nil, nil)
        }
        if let caller = newer.caller {
            (remoteHandle, withholdsHandle) = (newer.remoteHandle, caller == .withheld)
        }
        localizedCallerName = newer.localizedCallerName ?? localizedCallerName
        networkName = newer.networkName ?? networkName
        divertedBy = newer.divertedBy ?? divertedBy
        verification = newer.verification ?? verification
        image = newer.image ?? image
    }

    /// The update without who is at the far side.
    public var withoutIdentity: CallUpdate {
        var update = self
        (update.remoteHandle, update.withholdsHandle, update.image) = (nil, false, nil)
        (update.localizedCallerName, update.networkName) = (nil, nil)
        (update.divertedBy, update.verification) = (nil, nil)
        return update
    }
}
