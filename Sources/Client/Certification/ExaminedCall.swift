// ExaminedCall: what the host has been told of one call.

import CallModel

struct ExaminedCall: Sendable {
    let isOutgoing: Bool
    var isConnected = false
    var isEnded = false
    /// Ended by the plugin itself: one report may cross that, no more.
    var isOver = false
    /// Ended by Reset: nothing more is to be said of it.
    var isForgotten = false
    /// How many reports came after it was over or forgotten.
    var afterlife = 0
    var facts = CallUpdate()

    /// Takes over what is not nil.
    mutating func update(_ update: CallUpdate) {
        facts.remoteHandle = update.remoteHandle ?? facts.remoteHandle
        facts.supportsHolding = update.supportsHolding ?? facts.supportsHolding
        facts.canHoldNow = update.canHoldNow ?? facts.canHoldNow
        facts.supportsGrouping = update.supportsGrouping ?? facts.supportsGrouping
        facts.supportsUngrouping = update.supportsUngrouping ?? facts.supportsUngrouping
        facts.supportsDTMF = update.supportsDTMF ?? facts.supportsDTMF
    }
}
