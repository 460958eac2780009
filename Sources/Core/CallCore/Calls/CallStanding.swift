// The state of a call that the rules read.

public import CallModel

/// The facts about a call by which the rules decide. Nothing in it tells who calls.
public struct CallStanding: Sendable, Hashable {
    public let id: CallID
    /// Only an emergency call that is starting changes it.
    public internal(set) var provider: ProviderID
    public let direction: CallDirection
    public internal(set) var state: CallState
    /// The state in which the call was when it began to end, or would be in if it had not.
    var stateBeforeEnding: CallState?
    public internal(set) var heldBy: HeldBy? {
        didSet { if heldBy != .arbiter { heldFor = nil } }
    }
    /// The live call for which the arbiter holds it; nil if nobody does, and once that call has ended.
    public internal(set) var heldFor: CallID?
    public internal(set) var emergency = false
    public internal(set) var group: GroupID?
    public internal(set) var connectedAt: WallTime = 0

    /// Whether its provider can only exchange its active call with its held one (hold model `swap`).
    package internal(set) var swaps = false
    package internal(set) var supportsHolding = true
    package internal(set) var canHoldNow = true
    package internal(set) var supportsGrouping = true
    package internal(set) var supportsUngrouping = true
    package internal(set) var supportsDTMF = true
    /// Whether the far side asks for a transfer (`Call.transferRequest`).
    var isTransferRequested = false
    /// Whether the user silenced it, or who may disturb the user let it ring only silently.
    var isSilencedByUser = false
    var isSilencedByRules = false
    /// Its provider refused to hold it for an emergency call, which ends it instead.
    var refusedEmergency = false
    /// The order of creation, of joining the group and of being held: larger is later.
    var createdOrder: UInt64 = 0
    var joinedOrder: UInt64 = 0
    var heldOrder: UInt64 = 0
    /// Who asked for it to be started.
    var startedBy: Owner?
    /// The last client request that named this call.
    var namedBy: TransactionID?

    init(id: CallID, provider: ProviderID, direction: CallDirection, state: CallState) {
        self.id = id
        self.provider = provider
        self.direction = direction
        self.state = state
    }

    /// The state that the call has, or would have if it were not ending.
    var course: CallState { state == .ending ? stateBeforeEnding ?? .ending : state }
    /// A call that ends while it is on hold stays on hold until it has ended.
    public var isOnHold: Bool { course == .held || course == .resuming }
    /// Whether observers see a connected call that is not on hold.
    var isOffHold: Bool { hasConnected && !hasEnded && !isOnHold }
    public var hasConnected: Bool { connectedAt != 0 }
    /// Whether it rings only silently.
    var silenced: Bool { isSilencedByUser || isSilencedByRules }
    public var hasEnded: Bool { state == .ended }
    public var isDialing: Bool { state.isDialing }

    /// Whether the call has the line: it is, may be or may become audible.
    public var hasLine: Bool { course.hasLine }
    package var isHoldable: Bool { supportsHolding && canHoldNow && !emergency }
    /// Whether the call is in a state in which calls are grouped.
    var isTalking: Bool { state == .active || state == .held }
    /// Whether the call counts as a call group of its provider, or towards one (rule 4).
    var countsAsGroup: Bool { state != .ringing && state != .ending && state != .ended }
}
