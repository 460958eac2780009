// Method calls that wait for the core's reply.

import CallCore
import EventLoop

/// Keeps what is to happen when the core replies; each entry is used once.
@LoopActor
final class ReplyBook {
    private var waiting: [ReplyID: @LoopActor (Reply) -> Void] = [:]
    private var last: UInt64 = 0

    var count: Int { waiting.count }

    func add(_ then: @escaping @LoopActor (Reply) -> Void) -> ReplyID {
        last += 1
        let id = ReplyID(last)
        waiting[id] = then
        return id
    }

    func answer(_ id: ReplyID, with reply: Reply) { waiting.removeValue(forKey: id)?(reply) }
}
