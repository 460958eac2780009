// The deadlines, which the bus publishes.

/// What a deadline is for, by its name on the bus.
public enum DeadlineKind: String, Sendable, Hashable, CaseIterable {
    case start, answer, end
    /// The start of an emergency call, while another provider could take it.
    case emergencyStart = "emergency-start"
    case setHeld = "set-held"
    case setMuted = "set-muted"
    case setGroup = "set-group"
    case playDTMF = "play-dtmf"
    case setTranslating = "set-translating"
    case transfer
    case transferTo = "transfer-to"
    case answerTransfer = "answer-transfer"
    /// From started to connected, for an outgoing call.
    case connect
    /// How long an incoming call rings.
    case ring
    case audioRelease = "audio-release"
    /// The audio agent's answer to Prepare.
    case audioPrepare = "audio-prepare"
    /// From the start of a worker to its hello.
    case hello
    /// How long an emergency call waits for what is in its way, and a shutdown for the end of a call.
    case urgent
    /// How long an ended call's object stays.
    case linger
    /// What is known of a caller, before the call rings.
    case lookUp = "look-up"
    /// The store's first answer after the daemon's start, before a call rings.
    case storeStart = "store-start"
    /// A provider's answer to one of its own buttons.
    case customAction = "custom-action"
    /// A network's answer to a service code, and the user's reply to the network.
    case serviceCode = "service-code"
    /// A screener's verdict, before the call rings.
    case screen
    /// For how long a caller whom Do Not Disturb turned away is let through when calling again.
    case repeatedCaller = "repeated-caller"
    /// From the start of a call directory's worker until its entries are in force.
    case load

    public init(_ action: ActionKind) {
        switch action {
        case .start: self = .start
        case .answer: self = .answer
        case .end: self = .end
        case .setHeld: self = .setHeld
        case .setMuted: self = .setMuted
        case .setGroup: self = .setGroup
        case .playDTMF: self = .playDTMF
        case .setTranslating: self = .setTranslating
        case .transfer: self = .transfer
        case .transferTo: self = .transferTo
        case .answerTransfer: self = .answerTransfer
        }
    }
}

/// Milliseconds per kind.
public struct Deadlines: Sendable, Hashable {
    private var milliseconds: [DeadlineKind: UInt32] = [:]

    public init() {}

    public subscript(kind: DeadlineKind) -> UInt32 {
        get { milliseconds[kind] ?? Self.standard(kind) }
        set { milliseconds[kind] = newValue }
    }

    public func duration(of kind: DeadlineKind) -> Duration { .milliseconds(self[kind]) }

    private static func standard(_ kind: DeadlineKind) -> UInt32 {
        switch kind {
        case .start, .answer, .end, .setHeld, .setGroup, .playDTMF, .setTranslating, .audioRelease, .hello, .linger:
            5_000
        case .setMuted: 2_000
        case .urgent, .emergencyStart: 1_000
        case .connect, .ring: 60_000
        case .lookUp, .audioPrepare: 300
        case .screen, .storeStart: 1_000
        case .customAction: 10_000
        case .transfer, .transferTo, .answerTransfer: 30_000
        case .serviceCode: 90_000
        case .repeatedCaller: 180_000
        case .load: 120_000
        }
    }
}
