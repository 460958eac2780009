// What observers see of a call, apart from whom it is with.

import CallModel

/// The published properties that change: small, and compared after every change.
struct Shown: Sendable, Hashable {
    var state: CallState
    var heldBy: HeldBy?
    var remoteHeld: Bool
    var muted: Bool
    var video: Bool
    var group: GroupID?
    var startedAt: UInt64
    var connectedAt: UInt64
    var endedAt: UInt64
    var can: Capabilities
    var answerOptions: AnswerOptions
    var ringMode: RingMode?
}

extension Call {
    var shown: Shown {
        Shown(
            state: state, heldBy: heldBy, remoteHeld: remoteHeld, muted: muted, video: video, group: group,
            startedAt: startedAt, connectedAt: connectedAt, endedAt: endedAt, can: can, answerOptions: answerOptions,
            ringMode: ringMode)
    }
}

extension CallChanges {
    init(from old: Shown, to new: Shown) {
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
    }

    init(from old: CallFacts, to new: CallFacts) {
        self = []
        if !old.isSameIdentity(as: new) { insert(.identity) }
        if old.translation != new.translation { insert(.translation) }
    }
}
