// OutlivingCall: a call that may outlive the worker that had it. HoldNews: a call was held or taken back.

import CallModel
import EventLoop

struct OutlivingCall: Sendable {
    /// The far side.
    let handle: Handle
    /// The call as the next worker reports it.
    var successor: CallID?
}

struct HoldNews: Sendable {
    let call: CallID
    let isHeld: Bool
    let time = MonotonicTime.now

    init(_ call: CallID, _ isHeld: Bool) {
        self.call = call
        self.isHeld = isHeld
    }
}
