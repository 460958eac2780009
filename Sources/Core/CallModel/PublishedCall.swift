// PublishedCall: a call as the daemon publishes it.

/// The properties of Call1 and CallIdentity1. Dates are µs since the epoch, 0 = not yet.
public struct PublishedCall: Sendable, Hashable {
    public var id: CallID
    /// A call of which no known state was told is taken for an active one.
    public var state = CallState.active
    public var direction = CallDirection.incoming
    public var provider: ProviderID?
    public var emergency = false
    public var progress: CallProgress?
    /// The group's number; empty for none.
    public var group = ""
    public var heldBy: HeldBy?
    public var remoteHeld = false
    public var muted = false
    public var translation: Translation?
    public var encryption = ""
    public var codec = ""
    public var quality: CallQuality?
    public var video = false
    public var startedAt: UInt64 = 0
    public var connectedAt: UInt64 = 0
    /// In µs on the clock that does not jump; 0 = not yet.
    public var connectedAtMonotonic: UInt64 = 0
    public var endedAt: UInt64 = 0
    public var endReason: EndReason?
    public var endedBy: Origin?
    public var endDetail: EndDetail?
    public var endCode = ""
    /// Words of `Capabilities`, and of a newer version's.
    public var can: [String] = []
    /// Words of `AnswerOptions`, and of a newer version's.
    public var answerOptions: [String] = []
    public var ringMode: RingMode?

    public var handle: Handle?
    public var callerName = ""
    public var callerNameSource = CallerNameSource.none
    public var contactIdentifier = ""
    public var networkName = ""
    public var divertedBy: Handle?
    public var transferRequest: Handle?
    public var verification: CallerVerification?
    /// The absolute path of a picture; empty for none.
    public var image = ""

    public init(_ id: CallID) { self.id = id }

    public var hasEnded: Bool { state == .ended || endedAt != 0 }
}

extension PublishedCall {
    /// A line for each property, in the order of transcripts.
    public static let fields: [Field<PublishedCall>] = [
        .text("Id", { $0.id.description }, { $0.id = CallID($1) ?? $0.id }),
        .word("State", as: "state", { $0.state }, { $0.state = $1 }),
        .word("Direction", { $0.direction }, { $0.direction = $1 }),
        .provider("Provider", as: "provider", { $0.provider }, { $0.provider = $1 }),
        .flag("Emergency", as: "emergency", { $0.emergency }, { $0.emergency = $1 }),
        .optionalWord("Progress", as: "progress", { $0.progress }, { $0.progress = $1 }),
        .optionalWord("HeldBy", as: "held-by", { $0.heldBy }, { $0.heldBy = $1 }),
        .flag("RemoteHeld", as: "remote-held", { $0.remoteHeld }, { $0.remoteHeld = $1 }),
        .flag("Muted", as: "muted", { $0.muted }, { $0.muted = $1 }),
        .translation("Translation", as: "translation", { $0.translation }, { $0.translation = $1 }),
        .text("Encryption", as: "encryption", { $0.encryption }, { $0.encryption = $1 }),
        .text("Codec", as: "codec", { $0.codec }, { $0.codec = $1 }),
        .quality("Quality", as: "quality", { $0.quality }, { $0.quality = $1 }),
        .flag("Video", as: "video", { $0.video }, { $0.video = $1 }),
        .text("Group", as: "group", { $0.group }, { $0.group = $1 }),
        .optionalWord("RingMode", as: "ring", { $0.ringMode }, { $0.ringMode = $1 }),
        .words("AnswerOptions", as: "answer-options", { $0.answerOptions }, { $0.answerOptions = $1 }),
        .words("Can", as: "can", { $0.can }, { $0.can = $1 }),
        .moment("StartedAt", { $0.startedAt }, { $0.startedAt = $1 }),
        .moment("ConnectedAt", { $0.connectedAt }, { $0.connectedAt = $1 }),
        .moment("ConnectedAtMonotonic", { $0.connectedAtMonotonic }, { $0.connectedAtMonotonic = $1 }),
        .moment("EndedAt", { $0.endedAt }, { $0.endedAt = $1 }),
        .optionalWord("EndReason", { $0.endReason }, { $0.endReason = $1 }),
        .optionalWord("EndedBy", { $0.endedBy }, { $0.endedBy = $1 }),
        .optionalWord("EndDetail", { $0.endDetail }, { $0.endDetail = $1 }),
        .text("EndCode", { $0.endCode }, { $0.endCode = $1 }),

        .handle("Handle", { $0.handle }, { $0.handle = $1 }),
        .text("CallerName", for: .whoMayKnowPeople, { $0.callerName }, { $0.callerName = $1 }),
        .word("CallerNameSource", for: .whoMayKnowPeople, { $0.callerNameSource }, { $0.callerNameSource = $1 }),
        .text("ContactIdentifier", for: .whoMayKnowPeople, { $0.contactIdentifier }, { $0.contactIdentifier = $1 }),
        .text("NetworkName", for: .whoMayKnowPeople, { $0.networkName }, { $0.networkName = $1 }),
        .handle("DivertedBy", { $0.divertedBy }, { $0.divertedBy = $1 }),
        .handle("TransferRequest", { $0.transferRequest }, { $0.transferRequest = $1 }),
        .optionalWord("Verification", for: .whoMayKnowPeople, { $0.verification }, { $0.verification = $1 }),
        .text("Image", for: .whoMayKnowPeople, { $0.image }, { $0.image = $1 }),
    ]
}
