// ExaminedCall: the reports about one call.

import CallModel

struct ExaminedCall: Sendable {
    let isOutgoing: Bool
    var isConnected = false
    var isEnded = false
    /// Whether the plugin ended it, or an end was answered. One more report may cross the end.
    var isOver = false
    /// Whether Reset ended it. No report may follow.
    var isForgotten = false
    /// The number of reports after the end.
    var afterlife = 0
    var facts = CallUpdate()

    /// Takes the values that are not nil.
    mutating func update(_ update: CallUpdate) {
        facts.remoteHandle = update.remoteHandle ?? facts.remoteHandle
        facts.supportsHolding = update.supportsHolding ?? facts.supportsHolding
        facts.canHoldNow = update.canHoldNow ?? facts.canHoldNow
        facts.supportsGrouping = update.supportsGrouping ?? facts.supportsGrouping
        facts.supportsUngrouping = update.supportsUngrouping ?? facts.supportsUngrouping
        facts.supportsDTMF = update.supportsDTMF ?? facts.supportsDTMF
    }
}
