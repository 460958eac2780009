// CXCallUpdate: the properties of a call that a provider reports.

package import CallModel

/// New values of a call's properties (CallKit: CXCallUpdate). In the first report, capabilities that are not set count
/// as supported; in later reports, properties that are not set do not change.
public final class CXCallUpdate {
    /// The handle of the other party.
    public var remoteHandle: CXHandle?
    /// The name to show, in place of a name from an address book; 256 characters are kept.
    public var localizedCallerName: String?

    private var capabilities = CallUpdate()

    /// Creates an update in which nothing is set.
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

    /// Whether the call supports touch tones.
    public var supportsDTMF: Bool {
        get { capabilities.supportsDTMF ?? true }
        set { capabilities.supportsDTMF = newValue }
    }

    /// Whether the call has video.
    public var hasVideo: Bool {
        get { capabilities.hasVideo ?? false }
        set { capabilities.hasVideo = newValue }
    }

    /// Whether the call can be held at the moment. Not in CallKit.
    public var canHoldNow: Bool {
        get { capabilities.canHoldNow ?? true }
        set { capabilities.canHoldNow = newValue }
    }

    /// Whether the far side has put this side on hold. Not in CallKit.
    public var isRemoteHeld: Bool {
        get { capabilities.remoteHeld ?? false }
        set { capabilities.remoteHeld = newValue }
    }

    /// True if the network has held the call by itself; false if it requests a resume, which may be refused. Not in
    /// CallKit.
    public var isOnHold: Bool? {
        get { capabilities.onHold }
        set { capabilities.onHold = newValue }
    }

    /// Whether an incoming call comes from an emergency service; such a call is never filtered. Not in CallKit.
    public var isEmergency: Bool {
        get { capabilities.emergency ?? false }
        set { capabilities.emergency = newValue }
    }

    /// - Throws: `InvalidArguments` for an invalid handle.
    package func model() throws(CallError) -> CallUpdate {
        var update = capabilities
        update.remoteHandle = try remoteHandle?.model()
        update.localizedCallerName = localizedCallerName
        return update
    }
}
