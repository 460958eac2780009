// TimerQueue: the pending timers, the next one first.

internal import HeapModule

/// A heap of timers. Cancelled ones stay until they surface or outnumber the others.
@LoopActor
struct TimerQueue {
    @LoopActor
    final class Node {
        let deadline: MonotonicTime
        /// Nil once the timer has fired or was cancelled.
        var handler: (@LoopActor () -> Void)?

        init(deadline: MonotonicTime, handler: @escaping @LoopActor () -> Void) {
            self.deadline = deadline
            self.handler = handler
        }
    }

    private struct Entry: Comparable {
        let deadline: MonotonicTime
        let sequence: UInt64
        let node: Node

        static func == (left: Entry, right: Entry) -> Bool { left.sequence == right.sequence }

        static func < (left: Entry, right: Entry) -> Bool {
            (left.deadline, left.sequence) < (right.deadline, right.sequence)
        }
    }

    private var entries: Heap<Entry> = []
    private var cancelled = 0
    /// The number of the timer created last.
    private(set) var lastSequence: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func insert(_ node: Node) {
        lastSequence += 1
        entries.insert(Entry(deadline: node.deadline, sequence: lastSequence, node: node))
    }

    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > entries.count / 2 else { return }
        entries = Heap(entries.unordered.filter { $0.node.handler != nil })
        cancelled = 0
    }

    /// The deadline of the first timer that is still wanted.
    mutating func nextDeadline() -> MonotonicTime? {
        while let first = entries.min, first.node.handler == nil {
            entries.removeMin()
            cancelled -= 1
        }
        return entries.min?.deadline
    }

    /// Takes the first timer that is due at `now`, unless it was created after number `last`.
    mutating func popDue(at now: MonotonicTime, upTo last: UInt64) -> Node? {
        guard let deadline = nextDeadline(), deadline <= now, let first = entries.min, first.sequence <= last else {
            return nil
        }
        return entries.removeMin().node
    }
}
