// Liveness: when the faults stop, nobody waits for long, and every call can be ended.

import CallCore
import CallModel

extension MoveRunner {
    /// How the faults stop.
    package enum Settling: CaseIterable, Sendable {
        /// Every provider does what it was told: nothing takes any time.
        case obedience
        /// No provider says another word: everything is over with its deadline.
        case silence
    }

    /// Lets everything that is under way come to its end, then ends every call.
    package mutating func settle(_ settling: Settling) {
        movesBeforeSettling = moves.count
        letEnd(settling)
        // Some calls are left ringing at first: a displaced call does not come back while another rings.
        for call in live where call.state != .ringing || call.id.low % 2 == 0 { requestEnd(of: call) }
        letEnd(settling)
        for call in live { requestEnd(of: call) }
        letEnd(settling)
        run("gone")
    }

    private mutating func requestEnd(of call: Call) {
        run(.requested(Request([.end(call.id, reason: "")], by: .client(":1.9")), reply: nextReply))
    }

    private mutating func letEnd(_ settling: Settling) {
        switch settling {
        case .obedience:
            // The store that was expected has come.
            if machine.expectsLookUp { run(.lookUpAvailable(true)) }
            run("fulfil-all")
        case .silence: run("wait-out")
        }
        run("rest")
    }
}
