// CallUpdate as the a{sv} of ReportNewIncomingCall and ReportCallUpdated.

public import CallModel
public import DBus

extension CallUpdate {
    /// The keys that the contract has.
    public static let keys = Set(
        [
            Key.remoteHandle, Key.localizedCallerName, Key.networkName, Key.divertedBy, Key.verification, Key.image,
            Key.progress, Key.encryption, Key.codec, Key.quality, Key.transferRequest,
        ] + flags.map(\.key))

    private enum Key {
        static let remoteHandle = "remote-handle"
        static let localizedCallerName = "localized-caller-name"
        static let networkName = "network-name"
        static let divertedBy = "diverted-by"
        static let verification = "verification"
        static let image = "image"
        static let progress = "progress"
        static let encryption = "encryption"
        static let codec = "codec"
        static let quality = "quality"
        static let transferRequest = "transfer-request"
    }

    private static var flags: [(key: String, value: WritableKeyPath<CallUpdate, Bool?>)] {
        [
            ("supports-holding", \.supportsHolding), ("can-hold-now", \.canHoldNow),
            ("supports-grouping", \.supportsGrouping), ("supports-ungrouping", \.supportsUngrouping),
            ("supports-dtmf", \.supportsDTMF), ("has-video", \.hasVideo), ("remote-held", \.remoteHeld),
            ("on-hold", \.onHold), ("emergency", \.emergency),
        ]
    }

    /// Unknown keys are ignored. Names lose unsafe characters and are cut at 256 characters, other words at 64.
    /// - Throws: `InvalidArguments` for a key of the wrong type or outside its values, and for an invalid handle.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        remoteHandle = try Handle.optional(in: wire, Key.remoteHandle)
        withholdsHandle = wire[Key.remoteHandle] != nil && remoteHandle == nil
        localizedCallerName = try wire.optional(Key.localizedCallerName, as: String.self)?.displayable
        networkName = try wire.optional(Key.networkName, as: String.self)?.displayable
        divertedBy = try Handle.optional(in: wire, Key.divertedBy)
        verification = try wire.optionalWord(Key.verification)
        if let name = try wire.optional(Key.image, as: String.self) {
            image = try VariantDictionary.fileName(name, of: Key.image)
        }
        progress = try wire.optionalWord(Key.progress)
        encryption = try wire.optional(Key.encryption, as: String.self)?.networkWord
        codec = try wire.optional(Key.codec, as: String.self)?.networkWord
        if let quality = try wire.optional(Key.quality, as: VariantDictionary.self) {
            self.quality = try CallQuality(wire: quality)
        }
        if wire[Key.transferRequest] != nil {
            transferRequest = try Handle.optional(in: wire, Key.transferRequest).map { .to($0) } ?? .withdrawn
        }
        for flag in Self.flags { self[keyPath: flag.value] = try wire.optional(flag.key) }
    }

    /// Nil values are left out.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.remoteHandle, withholdsHandle ? Struct("", "") : remoteHandle?.wire)
        wire.set(Key.localizedCallerName, localizedCallerName?.withoutNUL)
        wire.set(Key.networkName, networkName?.withoutNUL)
        wire.set(Key.divertedBy, divertedBy?.wire)
        wire.set(Key.verification, verification?.rawValue)
        wire.set(Key.image, image)
        wire.set(Key.progress, progress?.rawValue)
        wire.set(Key.encryption, encryption?.withoutNUL)
        wire.set(Key.codec, codec?.withoutNUL)
        wire.set(Key.quality, quality?.wire)
        if let transferRequest {
            wire.set(Key.transferRequest, transferRequest.handle?.wire ?? Struct("", ""))
        }
        for flag in Self.flags { wire.set(flag.key, self[keyPath: flag.value]) }
        return wire
    }
}
