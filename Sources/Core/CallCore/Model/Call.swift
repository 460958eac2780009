// One call: everything that is known of it.

public import CallModel

/// A group's number, counted by the core from 1.
public struct GroupID: Hashable, Sendable {
    public let number: UInt64
}

/// One call as the core keeps it and the shell publishes it. Dates are µs since the epoch, 0 = not yet.
public struct Call: Sendable, Hashable {
    public let id: CallID
    public let direction: CallDirection
    public internal(set) var state: CallState
    var facts: CallFacts

    public internal(set) var heldBy: HeldBy?
    public internal(set) var remoteHeld = false
    public internal(set) var muted = false
    public internal(set) var video = false
    public internal(set) var emergency = false
    public internal(set) var group: GroupID?

    public internal(set) var startedAt: UInt64 = 0
    public internal(set) var connectedAt: UInt64 = 0
    public internal(set) var endedAt: UInt64 = 0
    public internal(set) var endReason: EndReason?
    public internal(set) var endedBy: Origin?

    public internal(set) var can: Capabilities = []
    public internal(set) var answerOptions: AnswerOptions = []
    public internal(set) var ringMode: RingMode?

    package internal(set) var supportsHolding = true
    package internal(set) var canHoldNow = true
    package internal(set) var supportsGrouping = true
    package internal(set) var supportsUngrouping = true
    package internal(set) var supportsDTMF = true
    /// Reports that came before the start action was fulfilled.
    var reportedConnecting = false
    var reportedConnected: UInt64?
    var silenced = false
    /// Order of creation, of joining the group and of being held: larger is later.
    var createdOrder: UInt64 = 0
    var joinedOrder: UInt64 = 0
    var heldOrder: UInt64 = 0
    /// The last client request that named this call.
    var namedBy: TransactionID?
    /// Its provider refused to hold it for an emergency call, which ends it instead.
    var refusedEmergency = false
    /// The state in which the call was when it began to end, or would be in if it had not.
    var stateBeforeEnding: CallState?

    init(id: CallID, provider: ProviderID, direction: CallDirection, state: CallState) {
        self.id = id
        facts = CallFacts(provider: provider)
        self.direction = direction
        self.state = state
    }

    public var provider: ProviderID { facts.provider }
    public var handle: Handle? { facts.handle }
    public var callerName: String { facts.callerName }
    public var nameSource: CallerNameSource { facts.nameSource }
    public var contact: String { facts.contact }
    /// What the strictest screener said before the call rang.
    public var screening: Screening? { facts.screening }
    public var translation: Translation? { facts.translation }

    public var isOnHold: Bool { state == .held || state == .resuming }
    public var hasConnected: Bool { connectedAt != 0 }
    public var hasEnded: Bool { state == .ended }
    public var isDialing: Bool { state.isDialing }

    /// Whether the call has the line: it is, may be or may become audible.
    public var hasLine: Bool { (state == .ending ? stateBeforeEnding ?? .ending : state).hasLine }
    package var isHoldable: Bool { supportsHolding && canHoldNow && !emergency }
}

extension CallState {
    public var isDialing: Bool { self == .starting || self == .started || self == .connecting }

    /// Whether a call in this state has the line.
    var hasLine: Bool {
        switch self {
        case .starting, .started, .connecting, .answering, .active, .holding, .resuming: true
        case .ringing, .held, .ending, .ended: false
        }
    }
}

/// Which published properties of a call have changed.
public struct CallChanges: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let state = CallChanges(rawValue: 1 << 0)
    public static let heldBy = CallChanges(rawValue: 1 << 1)
    public static let remoteHeld = CallChanges(rawValue: 1 << 2)
    public static let muted = CallChanges(rawValue: 1 << 3)
    public static let video = CallChanges(rawValue: 1 << 4)
    public static let group = CallChanges(rawValue: 1 << 5)
    public static let startedAt = CallChanges(rawValue: 1 << 6)
    public static let connectedAt = CallChanges(rawValue: 1 << 7)
    public static let ended = CallChanges(rawValue: 1 << 8)
    public static let can = CallChanges(rawValue: 1 << 9)
    public static let answerOptions = CallChanges(rawValue: 1 << 10)
    public static let ringMode = CallChanges(rawValue: 1 << 11)
    public static let identity = CallChanges(rawValue: 1 << 12)
    public static let translation = CallChanges(rawValue: 1 << 13)
}
