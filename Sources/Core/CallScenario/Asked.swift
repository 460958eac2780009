// Asked: what the requests of a history asked for.

import CallCore
import CallModel

/// The requests so far.
struct Asked {
    /// The calls that were asked to be resumed.
    var back: Set<CallID> = []
    var ended: Set<CallID> = []
    /// The calls that were held for a transaction.
    var heldFor: [TransactionID: Set<CallID>] = [:]

    mutating func note(_ input: Input) {
        switch input {
        case .requested(let request, _):
            for action in request.actions {
                switch action {
                case .setHeld(let call, false): back.insert(call)
                case .end(let call, _): ended.insert(call)
                case .start, .answer, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer,
                    .answerTransfer:
                    break
                }
            }
        case .reported(.updated(let call, let update), _, _): if update.onHold == false { back.insert(call) }
        default: break
        }
    }
}
