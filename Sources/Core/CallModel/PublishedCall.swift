// PublishedCall: a call as the daemon publishes it.

/// The properties of Call1 and CallIdentity1. The date 0 is not yet.
///
/// Its details are its own members: `call.muted` is `call.details.muted`.
@dynamicMemberLookup
public struct PublishedCall: Published, Hashable {
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
    /// The call for which the arbiter holds it.
    public var heldFor: CallID?
    public var connectedAt: WallTime = 0
    public var can: Capabilities = []
    public var answerOptions: AnswerOptions = []
    public var ringMode: RingMode?
    public var callerName = ""
    public var callerNameSource = CallerNameSource.none
    public var networkName = ""
    /// The absolute path of a picture; empty for none.
    public var image = ""
    /// Whether digits wait until the user sends them.
    public var digitsWait = false
    public var details = CallDetails()

    /// Whether a reader was told who is at the far side, or that this is withheld.
    public var isIdentified = false

    public init(_ id: CallID) { self.id = id }

    @inlinable
    public subscript<Value>(dynamicMember member: WritableKeyPath<CallDetails, Value>) -> Value {
        get { details[keyPath: member] }
        set { details[keyPath: member] = newValue }
    }

    public var hasEnded: Bool { state == .ended || details.endedAt != 0 }
}

/// What the core keeps of a call just as it is published: who has the line does not depend on it.
public struct CallDetails: Sendable, Hashable {
    public var remoteHeld = false
    public var muted = false
    public var translation: Translation?
    /// How the sound is encrypted and coded, in words of the provider's; empty if it has not told.
    public var encryption = ""
    public var codec = ""
    /// Nil if the provider has not told.
    public var quality: CallQuality?
    public var video = false
    public var startedAt: WallTime = 0
    /// In µs on the clock that does not jump; 0 = not yet.
    public var connectedAtMonotonic: UInt64 = 0
    public var endedAt: WallTime = 0
    public var endReason: EndReason?
    public var endedBy: Origin?
    public var endDetail: EndDetail?
    public var endCode = ""
    public var handle: Handle?
    public var contactIdentifier = ""
    public var divertedBy: Handle?
    /// With whom the far side asks to go on.
    public var transferRequest: Handle?
    public var verification: CallerVerification?
    /// The digits that the user has yet to send, with a semicolon between those that are sent one after the other.
    public var waitingDigits = ""

    public init() {}
}

extension PublishedCall {
    /// A line for each property, in the order of the contract and of transcripts.
    public static let fields: [Field<PublishedCall>] = [
        .word(CallProperty.state, as: "state", { $0.state }, { $0.state = $1 }),
        .word(CallProperty.direction, { $0.direction }, { $0.direction = $1 }).constant,
        .provider(CallProperty.provider, as: "provider", { $0.provider }, { $0.provider = $1 }),
        .text(CallProperty.id, { $0.id.description }, { $0.id = CallID($1) ?? $0.id }).constant,
        .flag(CallProperty.emergency, as: "emergency", { $0.emergency }, { $0.emergency = $1 }),
        .optionalWord(CallProperty.progress, as: "progress", { $0.progress }, { $0.progress = $1 }),
        .optionalWord(CallProperty.heldBy, as: "held-by", { $0.heldBy }, { $0.heldBy = $1 }),
        .call(CallProperty.heldFor, as: "held-for", { $0.heldFor }, { $0.heldFor = $1 }),
        .flag(CallProperty.remoteHeld, as: "remote-held", { $0.details.remoteHeld }, { $0.details.remoteHeld = $1 }),
        .flag(CallProperty.muted, as: "muted", { $0.details.muted }, { $0.details.muted = $1 }),
        .translation(CallProperty.translation, as: "translation", { $0.details.translation }) {
            $0.details.translation = $1
        },
        .text(CallProperty.encryption, as: "encryption", { $0.details.encryption }, { $0.details.encryption = $1 }),
        .text(CallProperty.codec, as: "codec", { $0.details.codec }, { $0.details.codec = $1 }),
        .quality(CallProperty.quality, as: "quality", { $0.details.quality }, { $0.details.quality = $1 }),
        .flag(CallProperty.video, as: "video", { $0.details.video }, { $0.details.video = $1 }),
        .flag(CallProperty.digitsWait, as: "digits-wait", { $0.digitsWait }, { $0.digitsWait = $1 }),
        .text(CallProperty.group, as: "group", { $0.group }, { $0.group = $1 }),
        .date(CallProperty.startedAt, { $0.details.startedAt }, { $0.details.startedAt = $1 }),
        .date(CallProperty.connectedAt, { $0.connectedAt }, { $0.connectedAt = $1 }),
        .moment(CallProperty.connectedAtMonotonic, { $0.details.connectedAtMonotonic }) {
            $0.details.connectedAtMonotonic = $1
        },
        .date(CallProperty.endedAt, { $0.details.endedAt }, { $0.details.endedAt = $1 }),
        .optionalWord(CallProperty.endReason, { $0.details.endReason }, { $0.details.endReason = $1 }),
        .optionalWord(CallProperty.endedBy, { $0.details.endedBy }, { $0.details.endedBy = $1 }),
        .optionalWord(CallProperty.endDetail, { $0.details.endDetail }, { $0.details.endDetail = $1 }),
        .text(CallProperty.endCode, { $0.details.endCode }, { $0.details.endCode = $1 }),
        .optionalWord(CallProperty.ringMode, as: "ring", { $0.ringMode }, { $0.ringMode = $1 }),
        .options(CallProperty.answerOptions, as: "answer-options", { $0.answerOptions }, { $0.answerOptions = $1 }),
        .options(CallProperty.can, as: "can", { $0.can }, { $0.can = $1 }),

        .handle(CallProperty.handle, { $0.details.handle }, { $0.details.handle = $1 }),
        .text(CallProperty.callerName, for: .trusted, { $0.callerName }, { $0.callerName = $1 }),
        .word(CallProperty.callerNameSource, for: .trusted, { $0.callerNameSource }, { $0.callerNameSource = $1 }),
        .text(CallProperty.contactIdentifier, for: .trusted, { $0.details.contactIdentifier }) {
            $0.details.contactIdentifier = $1
        },
        .text(CallProperty.networkName, for: .trusted, { $0.networkName }, { $0.networkName = $1 }),
        .handle(CallProperty.divertedBy, { $0.details.divertedBy }, { $0.details.divertedBy = $1 }),
        .handle(CallProperty.transferRequest, { $0.details.transferRequest }, { $0.details.transferRequest = $1 }),
        .optionalWord(CallProperty.verification, for: .trusted, { $0.details.verification }) {
            $0.details.verification = $1
        },
        .text(CallProperty.waitingDigits, for: .trusted, { $0.details.waitingDigits }) {
            $0.details.waitingDigits = $1
        },
        .text(CallProperty.image, for: .trusted, { $0.image }, { $0.image = $1 }),
    ]
}
