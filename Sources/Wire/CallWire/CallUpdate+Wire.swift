// CallUpdate as the a{sv} of ReportNewIncomingCall and ReportCallUpdated.

public import CallModel
public import DBus

extension CallUpdate {
    private enum Key {
        static let remoteHandle = "remote-handle"
        static let localizedCallerName = "localized-caller-name"
    }

    private static var flags: [(key: String, value: WritableKeyPath<CallUpdate, Bool?>)] {
        [
            ("supports-holding", \.supportsHolding), ("can-hold-now", \.canHoldNow),
            ("supports-grouping", \.supportsGrouping), ("supports-ungrouping", \.supportsUngrouping),
            ("supports-dtmf", \.supportsDTMF), ("has-video", \.hasVideo), ("remote-held", \.remoteHeld),
            ("on-hold", \.onHold), ("emergency", \.emergency),
        ]
    }

    /// Unknown keys are ignored; unsafe characters in the name are stripped, and it is cut at 256 characters.
    /// - Throws: `InvalidArguments` for a key of the wrong type and for an unacceptable handle.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        if let handle = try wire.optional(Key.remoteHandle, as: Handle.Wire.self) {
            remoteHandle = try Handle(wire: handle)
        }
        localizedCallerName = try wire.optional(Key.localizedCallerName, as: String.self)?.displayable
        for flag in Self.flags { self[keyPath: flag.value] = try wire.optional(flag.key) }
    }

    /// Nil values are left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.remoteHandle, remoteHandle?.wire)
        wire.set(Key.localizedCallerName, localizedCallerName?.withoutNUL)
        for flag in Self.flags { wire.set(flag.key, self[keyPath: flag.value]) }
        return wire
    }
}
