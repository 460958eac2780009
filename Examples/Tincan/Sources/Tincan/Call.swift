// Call: a call, with what the system and the network call it.

import OpenCallKit

@MainActor
final class Call {
    enum Stage {
        /// The system waits for the answer to this action, and we for the far side.
        case calling(CXStartCallAction)
        /// It rings at the far side.
        case alerting
        /// It rings here.
        case ringing
        case connected
    }

    let uuid: UUID
    /// Its name in messages. The caller chooses it.
    let id: String
    let peer: Peer
    var stage: Stage
    /// Gives the call up if the far side does not answer.
    var timer: Task<Void, any Error>?

    init(_ uuid: UUID = UUID(), id: String, peer: Peer, stage: Stage) {
        (self.uuid, self.id, self.peer, self.stage) = (uuid, id, peer, stage)
    }
}
