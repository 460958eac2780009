// CXCall: a call of this machine, whoever carries it.

internal import CallModel

/// What everybody may know of a call (CallKit: CXCall): that it is there and where it stands, not who is calling and not
/// which provider it belongs to. A value of a moment: a later change comes as another object.
public final class CXCall: Sendable, Hashable, CustomStringConvertible {
    /// Where a call stands. Not in CallKit, which has only the four flags.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// An outgoing call on its way: asked for, sent out, the far side reached.
        case starting, started, connecting
        /// An incoming call before people can talk.
        case ringing, answering
        /// People can talk.
        case active
        /// On its way to being held, held, on its way back.
        case holding, held, resuming
        /// Being ended, over.
        case ending, ended
    }

    /// The call, in every process of the machine.
    public let uuid: UUID
    /// Whether the call was begun on this side.
    public let isOutgoing: Bool
    /// Whether this side holds the call.
    public let isOnHold: Bool
    /// Whether people could ever talk on it. It stays true when the call is held or has ended.
    public let hasConnected: Bool
    /// Whether the call is over. Nothing more will be heard of it.
    public let hasEnded: Bool
    /// Where the call stands, in one word. Not in CallKit.
    public let state: State

    init(_ sight: CallSight) {
        uuid = UUID(sight.id)
        isOutgoing = sight.isOutgoing
        isOnHold = sight.isOnHold
        hasConnected = sight.hasConnected
        hasEnded = sight.hasEnded
        state = State(rawValue: sight.state) ?? (sight.hasEnded ? .ended : .active)
    }

    /// Whether both tell the same of the same call.
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
