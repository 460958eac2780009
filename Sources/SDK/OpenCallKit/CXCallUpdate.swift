// CXCallUpdate: what a provider tells about a call.

internal import CallModel

/// New facts about a call (CallKit: CXCallUpdate). What is never set is unchanged in a later report, and taken as
/// supported in the first one.
public final class CXCallUpdate {
    /// Who the other party is.
    public var remoteHandle: CXHandle?
    /// A name to show instead of the one that an address book has; 256 characters are kept.
    public var localizedCallerName: String?

    private var capabilities = CallUpdate()

    /// An update in which nothing is set.
    public init() {}

    /// Whether the call can be held on its own, or swapped with another.
    public var supportsHolding: Bool {
        get { capabilities.supportsHolding ?? true }
        set { capabilities.supportsHolding = newValue }
    }

    /// Whether the call can be grouped with others.
    public var supportsGrouping: Bool {
        get { capabilities.supportsGrouping ?? true }
        set { capabilities.supportsGrouping = newValue }
    }

    /// Whether the call can leave a group.
    public var supportsUngrouping: Bool {
        get { capabilities.supportsUngrouping ?? true }
        set { capabilities.supportsUngrouping = newValue }
    }

    /// Whether the call takes touch tones.
    public var supportsDTMF: Bool {
        get { capabilities.supportsDTMF ?? true }
        set { capabilities.supportsDTMF = newValue }
    }

    /// Whether the call has video.
    public var hasVideo: Bool {
        get { capabilities.hasVideo ?? false }
        set { capabilities.hasVideo = newValue }
    }

    /// Whether holding is possible at this moment. Not in CallKit.
    public var canHoldNow: Bool {
        get { capabilities.canHoldNow ?? true }
        set { capabilities.canHoldNow = newValue }
    }

    /// Whether the far side has put us on hold. Not in CallKit.
    public var isRemoteHeld: Bool {
        get { capabilities.remoteHeld ?? false }
        set { capabilities.remoteHeld = newValue }
    }

    /// The network held the call by itself (true), or wants it back (false; it asks, and may be refused). Not in CallKit.
    public var isOnHold: Bool? {
        get { capabilities.onHold }
        set { capabilities.onHold = newValue }
    }

    /// An incoming call from an emergency service, which nothing filters. Not in CallKit.
    public var isEmergency: Bool {
        get { capabilities.emergency ?? false }
        set { capabilities.emergency = newValue }
    }

    /// - Throws: `InvalidArguments` for a handle that is not acceptable.
    func model() throws(CallError) -> CallUpdate {
        var update = capabilities
        update.remoteHandle = try remoteHandle?.model()
        update.localizedCallerName = localizedCallerName
        return update
    }
}
