// A call as its observers know it.

import CallModel

/// The properties that were last announced, to be compared with those of now.
struct PublishedCall: Sendable, Hashable {
    let state: CallState
    let heldBy: HeldBy?
    let remoteHeld: Bool
    let muted: Bool
    let video: Bool
    let group: GroupID?
    let startedAt: UInt64
    let connectedAt: UInt64
    let endedAt: UInt64
    let can: Capabilities
    let answerOptions: AnswerOptions
    let ringMode: RingMode?
    let handle: Handle?
    let callerName: String
    let contact: String

    init(_ call: Call) {
        state = call.state
        heldBy = call.heldBy
        remoteHeld = call.remoteHeld
        muted = call.muted
        video = call.video
        group = call.group
        startedAt = call.startedAt
        connectedAt = call.connectedAt
        endedAt = call.endedAt
        can = call.can
        answerOptions = call.answerOptions
        ringMode = call.ringMode
        handle = call.handle
        callerName = call.callerName
        contact = call.contact
    }
}

extension CallChanges {
    init(from old: PublishedCall, to new: Call) {
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
        if old.handle != new.handle || old.callerName != new.callerName || old.contact != new.contact {
            insert(.identity)
        }
    }
}
