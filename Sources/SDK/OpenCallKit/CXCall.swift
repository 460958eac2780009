// CXCall: a call on this machine, of any provider.

internal import CallModel

/// The public state of a call (CallKit: CXCall), without the caller's identity and the provider. It is a snapshot: a
/// change comes as another object.
public final class CXCall: Sendable, Hashable, CustomStringConvertible {
    /// The state of a call. Not in CallKit, which has only the four flags.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// An outgoing call that is requested, started by its provider, or connecting to the far side.
        case starting, started, connecting
        /// An incoming call before it is connected.
        case ringing, answering
        /// A connected call that is not on hold.
        case active
        /// A connected call that is being held, is on hold, or is being resumed.
        case holding, held, resuming
        /// A call that is being ended, or has ended.
        case ending, ended
    }

    /// The call's identifier, the same in every process of the machine.
    public let uuid: UUID
    /// Whether the call was started on this side.
    public let isOutgoing: Bool
    /// Whether this side holds the call.
    public let isOnHold: Bool
    /// Whether the call has ever been connected. It remains true when the call is held or has ended.
    public let hasConnected: Bool
    /// Whether the call has ended. No further changes follow.
    public let hasEnded: Bool
    /// The state of the call in one word. Not in CallKit.
    public let state: State

    init(_ call: PublishedCall) {
        uuid = UUID(call.id)
        isOutgoing = call.direction == .outgoing
        // A newer daemon may know a holder that this one does not.
        isOnHold = call.heldBy != nil || call.state == .held
        hasConnected = call.connectedAt != 0
        hasEnded = call.hasEnded
        state = call.hasEnded ? .ended : State(rawValue: call.state.rawValue) ?? .active
    }

    /// Returns whether both objects are the same state of the same call.
    public func isEqual(to call: CXCall) -> Bool { self == call }

    public static func == (one: CXCall, other: CXCall) -> Bool {
        one.uuid == other.uuid && one.isOutgoing == other.isOutgoing && one.isOnHold == other.isOnHold
            && one.hasConnected == other.hasConnected && one.hasEnded == other.hasEnded && one.state == other.state
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
        hasher.combine(state)
    }

    public var description: String { "call \(uuid.wire) \(isOutgoing ? "outgoing" : "incoming") \(state)" }
}
