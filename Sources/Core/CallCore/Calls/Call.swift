// Call: one call with all its properties.

public import CallModel

/// A group's number, counted by the core from 1.
public struct GroupID: Hashable, Sendable {
    public let number: UInt64
}

/// One call as the core keeps it and the shell publishes it. Dates are µs since the epoch, 0 = not yet.
///
/// The members of its standing are its own: `call.state` is `call.standing.state`.
@dynamicMemberLookup
public struct Call: Sendable, Hashable {
    public internal(set) var standing: CallStanding

    public internal(set) var handle: Handle?
    public internal(set) var callerName = ""
    public internal(set) var nameSource = CallerNameSource.none
    public internal(set) var contact = ""
    /// The strictest screener's verdict before the call rang.
    public internal(set) var screening: Screening?
    public internal(set) var translation: Translation?

    public internal(set) var remoteHeld = false
    public internal(set) var muted = false
    public internal(set) var video = false

    public internal(set) var startedAt: UInt64 = 0
    public internal(set) var endedAt: UInt64 = 0
    public internal(set) var endReason: EndReason?
    public internal(set) var endedBy: Origin?

    /// What can be done with it and how it rings, as it was worked out after the latest input.
    var abilities = Abilities()
    /// The digits to send after it has connected; empty for none.
    var postDial = ""
    /// Reports that came before the start action was fulfilled.
    var reportedConnecting = false
    var reportedConnected: UInt64?

    init(id: CallID, provider: ProviderID, direction: CallDirection, state: CallState) {
        standing = CallStanding(id: id, provider: provider, direction: direction, state: state)
    }

    public subscript<Value>(dynamicMember member: KeyPath<CallStanding, Value>) -> Value { standing[keyPath: member] }

    subscript<Value>(dynamicMember member: WritableKeyPath<CallStanding, Value>) -> Value {
        get { standing[keyPath: member] }
        set { standing[keyPath: member] = newValue }
    }

    public var can: Capabilities { abilities.can }
    public var answerOptions: AnswerOptions { abilities.answerOptions }
    public var ringMode: RingMode? { abilities.ringMode }
}
