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
        .text(CallProperty.id, { $0.id.description }, { $0.id = CallID($1) ?? $0.id }),
        .word(CallProperty.state, as: "state", { $0.state }, { $0.state = $1 }),
        .word(CallProperty.direction, { $0.direction }, { $0.direction = $1 }),
        .provider(CallProperty.provider, as: "provider", { $0.provider }, { $0.provider = $1 }),
        .flag(CallProperty.emergency, as: "emergency", { $0.emergency }, { $0.emergency = $1 }),
        .optionalWord(CallProperty.progress, as: "progress", { $0.progress }, { $0.progress = $1 }),
        .optionalWord(CallProperty.heldBy, as: "held-by", { $0.heldBy }, { $0.heldBy = $1 }),
        .flag(CallProperty.remoteHeld, as: "remote-held", { $0.remoteHeld }, { $0.remoteHeld = $1 }),
        .flag(CallProperty.muted, as: "muted", { $0.muted }, { $0.muted = $1 }),
        .translation(CallProperty.translation, as: "translation", { $0.translation }, { $0.translation = $1 }),
        .text(CallProperty.encryption, as: "encryption", { $0.encryption }, { $0.encryption = $1 }),
        .text(CallProperty.codec, as: "codec", { $0.codec }, { $0.codec = $1 }),
        .quality(CallProperty.quality, as: "quality", { $0.quality }, { $0.quality = $1 }),
        .flag(CallProperty.video, as: "video", { $0.video }, { $0.video = $1 }),
        .text(CallProperty.group, as: "group", { $0.group }, { $0.group = $1 }),
        .optionalWord(CallProperty.ringMode, as: "ring", { $0.ringMode }, { $0.ringMode = $1 }),
        .words(CallProperty.answerOptions, as: "answer-options", { $0.answerOptions }, { $0.answerOptions = $1 }),
        .words(CallProperty.can, as: "can", { $0.can }, { $0.can = $1 }),
        .moment(CallProperty.startedAt, { $0.startedAt }, { $0.startedAt = $1 }),
        .moment(CallProperty.connectedAt, { $0.connectedAt }, { $0.connectedAt = $1 }),
        .moment(CallProperty.connectedAtMonotonic, { $0.connectedAtMonotonic }, { $0.connectedAtMonotonic = $1 }),
        .moment(CallProperty.endedAt, { $0.endedAt }, { $0.endedAt = $1 }),
        .optionalWord(CallProperty.endReason, { $0.endReason }, { $0.endReason = $1 }),
        .optionalWord(CallProperty.endedBy, { $0.endedBy }, { $0.endedBy = $1 }),
        .optionalWord(CallProperty.endDetail, { $0.endDetail }, { $0.endDetail = $1 }),
        .text(CallProperty.endCode, { $0.endCode }, { $0.endCode = $1 }),

        .handle(CallProperty.handle, { $0.handle }, { $0.handle = $1 }),
        .text(CallProperty.callerName, for: .trusted, { $0.callerName }, { $0.callerName = $1 }),
        .word(CallProperty.callerNameSource, for: .trusted, { $0.callerNameSource }, { $0.callerNameSource = $1 }),
        .text(CallProperty.contactIdentifier, for: .trusted, { $0.contactIdentifier }, { $0.contactIdentifier = $1 }),
        .text(CallProperty.networkName, for: .trusted, { $0.networkName }, { $0.networkName = $1 }),
        .handle(CallProperty.divertedBy, { $0.divertedBy }, { $0.divertedBy = $1 }),
        .handle(CallProperty.transferRequest, { $0.transferRequest }, { $0.transferRequest = $1 }),
        .optionalWord(CallProperty.verification, for: .trusted, { $0.verification }, { $0.verification = $1 }),
        .text(CallProperty.image, for: .trusted, { $0.image }, { $0.image = $1 }),
    ]
}
