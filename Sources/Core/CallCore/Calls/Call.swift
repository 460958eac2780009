// Call: one call with all its properties.

public import CallModel

/// A group's number, counted by the core from 1.
public struct GroupID: Hashable, Sendable {
    public let number: UInt64
}

/// One call as the core keeps it and the shell publishes it. Dates are µs since the epoch, 0 = not yet.
///
/// The members of its standing are its own: `call.state` is `call.standing.state`.
@dynamicMemberLookup
public struct Call: Sendable, Hashable {
    public internal(set) var standing: CallStanding

    public internal(set) var handle: Handle?
    public internal(set) var names = CallerNames()
    public internal(set) var contact = ""
    public internal(set) var divertedBy: Handle?
    public internal(set) var verification: CallerVerification?
    /// Absolute paths of pictures of the far side, from the provider and from the contact; empty for none.
    var reportedImage = ""
    var contactImage = ""
    /// With whom the far side asks to go on.
    public internal(set) var transferRequest: Handle? {
        didSet { standing.isTransferRequested = transferRequest != nil }
    }
    /// The strictest screener's verdict before the call rang.
    public internal(set) var screening: Screening?
    public internal(set) var translation: Translation?
    /// How the sound is encrypted and coded, in words of the provider's; empty if it has not told.
    public internal(set) var encryption = ""
    public internal(set) var codec = ""
    /// Nil if the provider has not told.
    public internal(set) var quality: CallQuality?

    public internal(set) var remoteHeld = false
    public internal(set) var muted = false
    public internal(set) var video = false

    public internal(set) var startedAt: UInt64 = 0
    public internal(set) var endedAt: UInt64 = 0
    public internal(set) var endReason: EndReason?
    public internal(set) var endedBy: Origin?
    public internal(set) var networkEnd = NetworkEnd()
    /// When it was connected, in µs on the clock that does not jump; 0 = not yet.
    public internal(set) var connectedUptime: UInt64 = 0

    /// What can be done with it and how it rings, as it was worked out after the latest input.
    var abilities = Abilities()
    /// Whether the name of the far side was asked for, or the call waited for it before it rang.
    var isLookedUp = false
    /// How far it has come, as its provider reported last.
    var reportedProgress: CallProgress?
    /// The digits to send after it has connected; empty for none.
    var postDial = ""
    /// Reports that came before the start action was fulfilled.
    var reportedConnecting = false
    var reportedConnected: UInt64?

    init(id: CallID, provider: Provider, direction: CallDirection, state: CallState) {
        standing = CallStanding(id: id, provider: provider.id, direction: direction, state: state)
        standing.swaps = provider.configuration.holdModel == .swap
    }

    public subscript<Value>(dynamicMember member: KeyPath<CallStanding, Value>) -> Value { standing[keyPath: member] }

    subscript<Value>(dynamicMember member: WritableKeyPath<CallStanding, Value>) -> Value {
        get { standing[keyPath: member] }
        set { standing[keyPath: member] = newValue }
    }

    /// How far an outgoing call has come; nil if it is connected or ends, or nothing was reported.
    public var progress: CallProgress? { standing.isDialing ? reportedProgress : nil }

    public var callerName: String { names.shown }
    /// Absolute path of a picture of the far side: the provider's, or else the contact's; empty for none.
    public var image: String { reportedImage.isEmpty ? contactImage : reportedImage }
    public var nameSource: CallerNameSource { names.shownSource }

    /// The call as its provider has reported it: without what was found for its handle in contacts, favorites and lists.
    public var asReported: Call {
        var call = self
        if !names.found.isEmpty { call.contact = "" }
        (call.names.found, call.names.source, call.contactImage) = ("", .none, "")
        return call
    }

    public var can: Capabilities { abilities.can }
    public var answerOptions: AnswerOptions { abilities.answerOptions }
    public var ringMode: RingMode? { abilities.ringMode }

    // MARK: What its provider reports

    /// Applies an update; what it leaves out stays.
    mutating func apply(_ update: CallUpdate) {
        if let value = update.remoteHandle { handle = value }
        if let value = update.localizedCallerName { names.provider = value }
        if let value = update.networkName { names.network = value }
        if let value = update.divertedBy { divertedBy = value }
        if let value = update.verification { verification = value }
        if let value = update.image { reportedImage = value }
        if let value = update.progress { reportedProgress = value }
        if let value = update.encryption { encryption = value }
        if let value = update.codec { codec = value }
        if let value = update.quality { quality = value }
        if let value = update.supportsHolding { standing.supportsHolding = value }
        if let value = update.canHoldNow { standing.canHoldNow = value }
        if let value = update.supportsGrouping { standing.supportsGrouping = value }
        if let value = update.supportsUngrouping { standing.supportsUngrouping = value }
        if let value = update.supportsDTMF { standing.supportsDTMF = value }
        if let value = update.hasVideo { video = value }
        if let value = update.remoteHeld { remoteHeld = value }
        if let value = update.transferRequest { transferRequest = value.handle }
        // An emergency call stays one: the promise not to displace it cannot be taken back.
        if update.emergency == true, standing.state == .ringing { standing.emergency = true }
    }

    /// Takes a new provider. What the former one reported no longer holds.
    mutating func passOn(_ start: StartRequest, to provider: Provider) {
        let fresh = Call(id: standing.id, provider: provider, direction: .outgoing, state: .starting)
        standing.provider = provider.id
        standing.swaps = fresh.swaps
        standing.supportsHolding = fresh.supportsHolding
        standing.canHoldNow = fresh.canHoldNow
        standing.supportsGrouping = fresh.supportsGrouping
        standing.supportsUngrouping = fresh.supportsUngrouping
        standing.supportsDTMF = fresh.supportsDTMF
        (names.provider, names.network) = (fresh.names.provider, fresh.names.network)
        (divertedBy, verification, reportedImage) = (nil, nil, "")
        (encryption, codec, quality) = ("", "", nil)
        (handle, video) = (start.handle, start.video)
        (remoteHeld, muted, transferRequest) = (false, false, nil)
        (reportedProgress, reportedConnecting, reportedConnected) = (nil, false, nil)
    }
}
