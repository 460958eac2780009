// The numbers by which the core and its shell refer to things.

public import CallModel

/// One Perform on one provider; counted by the core from 1.
public struct ActionID: Hashable, Sendable {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
}

/// One request and all that follows from it; counted by the core from 1.
public struct TransactionID: Hashable, Sendable, Comparable {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// The shell's token for a method call that waits for its reply.
public struct ReplyID: Hashable, Sendable {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
}

/// A client that screens calls; counted by the shell from 1.
public struct ScreenerID: Hashable, Sendable {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
}

/// A client that was or is the audio agent; counted by the shell from 1.
public struct AudioAgentID: Hashable, Sendable {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
}

/// What a timer was armed for. A timer that fires when nothing waits for it any more is ignored.
public enum TimerID: Hashable, Sendable {
    /// An action's deadline; armed by the shell when it runs the `perform` effect.
    case action(ActionID)
    case ring(CallID)
    case connect(CallID)
    /// An ended call's object leaves the bus.
    case linger(CallID)
    case audioRelease(ProviderID)
    /// The audio agent's answer for a provider.
    case audioPrepare(ProviderID)
    /// The look-up of a waiting call's caller.
    case lookUp(CallID)
    /// The screeners' verdicts on a waiting call.
    case screen(CallID)
}
