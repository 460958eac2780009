// Liveness: when the faults stop, nobody waits for long, and every call can be ended.

import CallCore
import CallModel

extension Play {
    /// How the faults stop.
    package enum Rest: CaseIterable, Sendable {
        /// Every provider does what it was told: nothing takes any time.
        case obedience
        /// No provider says another word: everything is over with its deadline.
        case silence
    }

    /// Lets everything that is under way come to its end, then ends every call.
    package mutating func comeToRest(_ rest: Rest) {
        movesBeforeRest = moves.count
        settle(rest)
        // Some are left ringing at first: whoever was displaced does not come back then.
        for call in live where call.state != .ringing || call.id.low % 2 == 0 { requestEnd(of: call) }
        settle(rest)
        for call in live { requestEnd(of: call) }
        settle(rest)
        run("gone")
    }

    private mutating func requestEnd(of call: Call) {
        run(.requested(Request([.end(call.id, reason: "")], by: .client(":1.9")), reply: nextReply))
    }

    private mutating func settle(_ rest: Rest) {
        switch rest {
        case .obedience: run("fulfil-all")
        case .silence: run("wait-out")
        }
        run("rest")
    }
}
