// The published properties of a call: which of them differ between two moments, and how a transcript shows them.

import CallModel

/// The published properties of a call that have changed.
public struct CallChanges: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let state = CallChanges(rawValue: 1 << 0)
    public static let heldBy = CallChanges(rawValue: 1 << 1)
    public static let remoteHeld = CallChanges(rawValue: 1 << 2)
    public static let muted = CallChanges(rawValue: 1 << 3)
    public static let video = CallChanges(rawValue: 1 << 4)
    public static let group = CallChanges(rawValue: 1 << 5)
    public static let startedAt = CallChanges(rawValue: 1 << 6)
    public static let connectedAt = CallChanges(rawValue: 1 << 7)
    public static let ended = CallChanges(rawValue: 1 << 8)
    public static let can = CallChanges(rawValue: 1 << 9)
    public static let answerOptions = CallChanges(rawValue: 1 << 10)
    public static let ringMode = CallChanges(rawValue: 1 << 11)
    public static let identity = CallChanges(rawValue: 1 << 12)
    public static let translation = CallChanges(rawValue: 1 << 13)
    public static let emergency = CallChanges(rawValue: 1 << 14)
    public static let progress = CallChanges(rawValue: 1 << 15)
    public static let encryption = CallChanges(rawValue: 1 << 16)
    public static let codec = CallChanges(rawValue: 1 << 17)
    public static let provider = CallChanges(rawValue: 1 << 18)
    public static let quality = CallChanges(rawValue: 1 << 19)

    init(from old: Call, to new: Call) {
        self = []
        if old.state != new.state { insert(.state) }
        if old.heldBy != new.heldBy { insert(.heldBy) }
        if old.remoteHeld != new.remoteHeld { insert(.remoteHeld) }
        if old.muted != new.muted { insert(.muted) }
        if old.video != new.video { insert(.video) }
        if old.group != new.group { insert(.group) }
        if old.startedAt != new.startedAt { insert(.startedAt) }
        if old.connectedAt != new.connectedAt { insert(.connectedAt) }
        if old.endedAt != new.endedAt { insert(.ended) }
        if old.can != new.can { insert(.can) }
        if old.answerOptions != new.answerOptions { insert(.answerOptions) }
        if old.ringMode != new.ringMode { insert(.ringMode) }
        if CallIdentity(old) != CallIdentity(new) { insert(.identity) }
        if old.emergency != new.emergency { insert(.emergency) }
        if old.provider != new.provider { insert(.provider) }
        if old.progress != new.progress { insert(.progress) }
        if old.encryption != new.encryption { insert(.encryption) }
        if old.codec != new.codec { insert(.codec) }
        if old.quality != new.quality { insert(.quality) }
        if old.translation != new.translation { insert(.translation) }
    }
}

/// What tells who is at the far side of a call.
package struct CallIdentity: Hashable {
    private let handle: Handle?
    private let name: String
    private let source: CallerNameSource
    private let network: String
    private let contact: String
    private let divertedBy: Handle?
    private let verification: CallerVerification?
    private let image: String
    private let transferRequest: Handle?

    package init(_ call: Call) {
        (handle, contact, divertedBy) = (call.handle, call.contact, call.divertedBy)
        (name, source, network) = (call.callerName, call.nameSource, call.names.network)
        (verification, image, transferRequest) = (call.verification, call.image, call.transferRequest)
    }
}

extension Call {
    /// Returns ` name=value …` for the properties in `changes`, without the dates.
    package func text(of changes: CallChanges) -> String {
        var text = ""
        func add(_ change: CallChanges, _ name: String, _ value: String) {
            if changes.contains(change) { text += " \(name)=\(value.isEmpty ? "none" : value)" }
        }
        add(.state, "state", standing.state.rawValue)
        add(.provider, "provider", standing.provider.rawValue)
        add(.emergency, "emergency", standing.emergency.word)
        add(.progress, "progress", progress?.rawValue ?? "")
        add(.heldBy, "held-by", standing.heldBy?.rawValue ?? "")
        add(.remoteHeld, "remote-held", remoteHeld.word)
        add(.muted, "muted", muted.word)
        add(.translation, "translation", translation?.description ?? "")
        add(.encryption, "encryption", encryption)
        add(.codec, "codec", codec)
        add(.quality, "quality", quality?.description ?? "")
        add(.video, "video", video.word)
        add(.group, "group", standing.group.map { String($0.number) } ?? "")
        add(.ringMode, "ring", ringMode?.rawValue ?? "")
        add(.answerOptions, "answer-options", answerOptions.words.joined(separator: ","))
        add(.can, "can", can.words.joined(separator: ","))
        if changes.contains(.identity) { text += " identity" }
        if text.isEmpty { text = " dates" }
        return text
    }
}
