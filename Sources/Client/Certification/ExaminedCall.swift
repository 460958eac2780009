// ExaminedCall: the reports about one call.

import CallModel

struct ExaminedCall: Sendable {
    let isOutgoing: Bool
    var isConnected = false
    /// Whether it was reported as connected already.
    var isOngoing = false
    var isEnded = false
    /// Whether the plugin ended it, or an end was answered. One more report may cross the end.
    var isOver = false
    /// Whether a fulfilled transfer ended it.
    var isTransferred = false
    /// Whether Reset ended it. No report may follow.
    var isForgotten = false
    /// The number of reports after the end.
    var afterlife = 0
    var facts = CallUpdate()
    /// The reports that the network has held the call or taken it back, oldest first.
    var reportedHolds: [Bool] = []
    /// The reported handles of the far side, oldest first.
    var reportedHandles: [Handle] = []

    var canBeHeld: Bool { facts.supportsHolding != false && facts.canHoldNow != false }

    /// Takes the values that are not nil.
    mutating func update(_ update: CallUpdate) {
        facts.remoteHandle = update.remoteHandle ?? facts.remoteHandle
        if let handle = update.remoteHandle { reportedHandles.append(handle) }
        facts.transferRequest = update.transferRequest ?? facts.transferRequest
        facts.supportsHolding = update.supportsHolding ?? facts.supportsHolding
        facts.canHoldNow = update.canHoldNow ?? facts.canHoldNow
        facts.supportsGrouping = update.supportsGrouping ?? facts.supportsGrouping
        facts.supportsUngrouping = update.supportsUngrouping ?? facts.supportsUngrouping
        if let onHold = update.onHold { reportedHolds.append(onHold) }
        facts.supportsDTMF = update.supportsDTMF ?? facts.supportsDTMF
    }
}
