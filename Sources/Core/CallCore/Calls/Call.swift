// Call: one call with all its properties.

public import CallModel

/// A group's number, counted by the core from 1.
public struct GroupID: Hashable, Sendable {
    public let number: UInt64
}

/// One call as the core keeps it and the shell publishes it. Dates are µs since the epoch, 0 = not yet.
public struct Call: Sendable, Hashable {
    public let id: CallID
    public let provider: ProviderID
    public let direction: CallDirection
    public internal(set) var state: CallState

    public internal(set) var handle: Handle?
    public internal(set) var callerName = ""
    public internal(set) var nameSource = CallerNameSource.none
    public internal(set) var contact = ""
    /// The strictest screener's verdict before the call rang.
    public internal(set) var screening: Screening?
    public internal(set) var translation: Translation?

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

    /// What can be done with it and how it rings, as it was worked out after the latest input.
    var abilities = Abilities()

    package internal(set) var supportsHolding = true
    package internal(set) var canHoldNow = true
    package internal(set) var supportsGrouping = true
    package internal(set) var supportsUngrouping = true
    package internal(set) var supportsDTMF = true
    /// Reports that came before the start action was fulfilled.
    var reportedConnecting = false
    var reportedConnected: UInt64?
    var silenced = false
    /// The order of creation, of joining the group and of being held: larger is later.
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
        self.provider = provider
        self.direction = direction
        self.state = state
    }

    public var can: Capabilities { abilities.can }
    public var answerOptions: AnswerOptions { abilities.answerOptions }
    public var ringMode: RingMode? { abilities.ringMode }

    public var isOnHold: Bool { state == .held || state == .resuming }
    public var hasConnected: Bool { connectedAt != 0 }
    public var hasEnded: Bool { state == .ended }
    public var isDialing: Bool { state.isDialing }

    /// Whether the call has the line: it is, may be or may become audible.
    public var hasLine: Bool { (state == .ending ? stateBeforeEnding ?? .ending : state).hasLine }
    package var isHoldable: Bool { supportsHolding && canHoldNow && !emergency }
    /// Whether the call is in a state in which calls are grouped.
    var isTalking: Bool { state == .active || state == .held }
    /// Whether the call counts as a call group of its provider, or towards one (rule 4).
    var countsAsGroup: Bool { state != .ringing && state != .ending && state != .ended }
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
