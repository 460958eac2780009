// CallUpdate as the a{sv} of ReportNewIncomingCall and ReportCallUpdated.

public import CallModel
public import DBus

extension CallUpdate {
    private enum Key {
        static let remoteHandle = "remote-handle"
        static let localizedCallerName = "localized-caller-name"
        static let supportsHolding = "supports-holding"
        static let canHoldNow = "can-hold-now"
        static let supportsGrouping = "supports-grouping"
        static let supportsUngrouping = "supports-ungrouping"
        static let supportsDTMF = "supports-dtmf"
        static let hasVideo = "has-video"
        static let remoteHeld = "remote-held"
        static let onHold = "on-hold"
        static let emergency = "emergency"
    }

    /// Unknown keys are ignored; unsafe characters in the name are stripped, and it is cut at 256 characters.
    /// - Throws: `InvalidArguments` for a key of the wrong type and for an unacceptable handle.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        if let handle = try wire.optional(Key.remoteHandle, as: Handle.Wire.self) {
            remoteHandle = try Handle(wire: handle)
        }
        localizedCallerName = try wire.optional(Key.localizedCallerName, as: String.self)?.displayable
        supportsHolding = try wire.optional(Key.supportsHolding)
        canHoldNow = try wire.optional(Key.canHoldNow)
        supportsGrouping = try wire.optional(Key.supportsGrouping)
        supportsUngrouping = try wire.optional(Key.supportsUngrouping)
        supportsDTMF = try wire.optional(Key.supportsDTMF)
        hasVideo = try wire.optional(Key.hasVideo)
        remoteHeld = try wire.optional(Key.remoteHeld)
        onHold = try wire.optional(Key.onHold)
        emergency = try wire.optional(Key.emergency)
    }

    /// Nil values are left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.remoteHandle, remoteHandle?.wire)
        wire.set(Key.localizedCallerName, localizedCallerName?.withoutNUL)
        wire.set(Key.supportsHolding, supportsHolding)
        wire.set(Key.canHoldNow, canHoldNow)
        wire.set(Key.supportsGrouping, supportsGrouping)
        wire.set(Key.supportsUngrouping, supportsUngrouping)
        wire.set(Key.supportsDTMF, supportsDTMF)
        wire.set(Key.hasVideo, hasVideo)
        wire.set(Key.remoteHeld, remoteHeld)
        wire.set(Key.onHold, onHold)
        wire.set(Key.emergency, emergency)
        return wire
    }
}
