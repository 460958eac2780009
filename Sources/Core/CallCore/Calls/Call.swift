// Call: one call with all its properties.

public import CallModel

/// A group's number, counted by the core from 1.
public struct GroupID: Hashable, Sendable {
    public let number: UInt64
}

/// One call as the core keeps it. The date 0 is not yet.
///
/// The members of its standing are its own, and so are those of its details: `call.state` is `call.standing.state`, and
/// `call.muted` is `call.details.muted`.
@dynamicMemberLookup
public struct Call: Sendable, Hashable {
    public internal(set) var standing: CallStanding
    var details = CallDetails()
    public internal(set) var names = CallerNames()
    /// Absolute paths of pictures of the far side, from the provider and from the contact; empty for none.
    var reportedImage = ""
    var contactImage = ""
    /// The strictest screener's verdict before the call rang.
    public internal(set) var screening: Screening?
    /// What can be done with it and how it rings, as it was worked out after the latest input.
    var abilities = Abilities()
    /// What kept it from ringing on.
    public internal(set) var filter: Filter?
    /// Of whom was asked, or whose name the call waited for before it rang; nil for nobody.
    var lookedUp: Caller?
    /// How far it has come, as its provider reported last.
    var reportedProgress: CallProgress?
    /// The digits to send after it has connected; empty for none.
    var postDial = ""
    /// Reports that came before the start action was fulfilled.
    var reportedConnecting = false
    var reportedConnected: WallTime?

    init(id: CallID, provider: Provider, direction: CallDirection, state: CallState) {
        standing = CallStanding(id: id, provider: provider.id, direction: direction, state: state)
        standing.swaps = provider.configuration.holdModel == .swap
    }

    public subscript<Value>(dynamicMember member: KeyPath<CallStanding, Value>) -> Value { standing[keyPath: member] }

    subscript<Value>(dynamicMember member: WritableKeyPath<CallStanding, Value>) -> Value {
        get { standing[keyPath: member] }
        set { standing[keyPath: member] = newValue }
    }

    public subscript<Value>(dynamicMember member: KeyPath<CallDetails, Value>) -> Value { details[keyPath: member] }

    subscript<Value>(dynamicMember member: WritableKeyPath<CallDetails, Value>) -> Value {
        get { details[keyPath: member] }
        set { details[keyPath: member] = newValue }
    }

    /// Why a call was not let through, and by what.
    public struct Filter: Sendable, Hashable {
        public let reason: FilterReason
        public let by: FilteredCall.Filter
    }

    /// Who is at the far side.
    var caller: Caller { Caller(details.handle) }
    /// Whether contacts, favorites or lists have told something of the far side.
    var isFound: Bool { !names.found.isEmpty || !contactImage.isEmpty }

    /// How far an outgoing call has come; nil if it is connected or ends, or nothing was reported.
    public var progress: CallProgress? { standing.isDialing ? reportedProgress : nil }
    public var callerName: String { names.shown }
    public var callerNameSource: CallerNameSource { names.shownSource }
    /// Absolute path of a picture of the far side: the provider's, or else the contact's; empty for none.
    public var image: String { reportedImage.isEmpty ? contactImage : reportedImage }
    public var can: Capabilities { abilities.can }
    public var answerOptions: AnswerOptions { abilities.answerOptions }
    public var ringMode: RingMode? { abilities.ringMode }

    /// With whom the far side asks to go on.
    public internal(set) var transferRequest: Handle? {
        get { details.transferRequest }
        set {
            details.transferRequest = newValue
            standing.isTransferRequested = newValue != nil
        }
    }

    public internal(set) var networkEnd: NetworkEnd {
        get { NetworkEnd(details.endDetail, code: details.endCode) }
        set { (details.endDetail, details.endCode) = (newValue.detail, newValue.code) }
    }

    /// The call as observers are told of it.
    public var published: PublishedCall {
        var call = PublishedCall(standing.id)
        call.details = details
        (call.state, call.direction, call.provider) = (standing.state, standing.direction, standing.provider)
        (call.heldBy, call.heldFor) = (standing.heldBy, standing.heldFor)
        (call.emergency, call.connectedAt) = (standing.emergency, standing.connectedAt)
        call.group = standing.group.map { String($0.number) } ?? ""
        call.progress = progress
        (call.can, call.answerOptions, call.ringMode) = (can, answerOptions, ringMode)
        (call.callerName, call.callerNameSource, call.networkName) = (callerName, callerNameSource, names.network)
        call.image = image
        call.digitsWait = !details.waitingDigits.isEmpty
        return call
    }

    /// The call as its provider has reported it: without what was found for its handle in contacts, favorites and lists.
    public var asReported: Call {
        var call = self
        if !names.found.isEmpty { call.details.contactIdentifier = "" }
        (call.names.found, call.names.source, call.contactImage) = ("", .none, "")
        return call
    }

    // MARK: What its provider reports

    /// Takes the handle of the far side. With another one goes all that is known of the former: what was found for it, and
    /// what its provider has told, unless that was told while the handle was withheld.
    private mutating func meet(_ handle: Handle?) {
        defer { details.handle = handle }
        guard Caller(handle) != caller else { return }
        if details.handle != nil {
            (names.provider, names.network, reportedImage) = ("", "", "")
            (details.divertedBy, details.verification) = (nil, nil)
        }
        (names.found, names.source, contactImage, details.contactIdentifier) = ("", .none, "", "")
        screening = nil
    }

    /// Applies an update; what it leaves out stays.
    mutating func apply(_ update: CallUpdate) {
        if update.caller != nil { meet(update.remoteHandle) }
        if let value = update.localizedCallerName { names.provider = value }
        if let value = update.networkName { names.network = value }
        if let value = update.divertedBy { details.divertedBy = value }
        if let value = update.verification { details.verification = value }
        if let value = update.image { reportedImage = value }
        if let value = update.progress { reportedProgress = value }
        if let value = update.encryption { details.encryption = value }
        if let value = update.codec { details.codec = value }
        if let value = update.quality { details.quality = value }
        if let value = update.supportsHolding { standing.supportsHolding = value }
        if let value = update.canHoldNow { standing.canHoldNow = value }
        if let value = update.supportsGrouping { standing.supportsGrouping = value }
        if let value = update.supportsUngrouping { standing.supportsUngrouping = value }
        if let value = update.supportsDTMF { standing.supportsDTMF = value }
        if let value = update.hasVideo { details.video = value }
        if let value = update.remoteHeld { details.remoteHeld = value }
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
        meet(start.handle)
        (names.provider, names.network) = (fresh.names.provider, fresh.names.network)
        (details.divertedBy, details.verification, reportedImage) = (nil, nil, "")
        (details.encryption, details.codec, details.quality) = ("", "", nil)
        details.video = start.video
        (details.remoteHeld, details.muted, transferRequest) = (false, false, nil)
        (reportedProgress, reportedConnecting, reportedConnected) = (nil, false, nil)
    }
}
