// TimerQueue: the pending timers, the next one first.

internal import HeapModule

/// A heap of timers. Cancelled ones stay until they surface or outnumber the others.
@LoopActor
struct TimerQueue {
    @LoopActor
    final class Node: Comparable {
        let deadline: MonotonicTime
        let sequence: UInt64
        /// Nil once the timer has fired or was cancelled.
        var handler: (@LoopActor () -> Void)?

        fileprivate init(_ deadline: MonotonicTime, _ sequence: UInt64, _ handler: @escaping @LoopActor () -> Void) {
            self.deadline = deadline
            self.sequence = sequence
            self.handler = handler
        }

        nonisolated static func == (left: Node, right: Node) -> Bool { left.sequence == right.sequence }

        nonisolated static func < (left: Node, right: Node) -> Bool {
            (left.deadline, left.sequence) < (right.deadline, right.sequence)
        }
    }

    private var nodes: Heap<Node> = []
    private var cancelled = 0
    /// The number of the timer created last.
    private(set) var lastSequence: UInt64 = 0

    var isEmpty: Bool { nodes.isEmpty }

    mutating func add(at deadline: MonotonicTime, handler: @escaping @LoopActor () -> Void) -> Node {
        lastSequence += 1
        let node = Node(deadline, lastSequence, handler)
        nodes.insert(node)
        return node
    }

    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > nodes.count / 2 else { return }
        nodes = Heap(nodes.unordered.filter { $0.handler != nil })
        cancelled = 0
    }

    /// The deadline of the first timer that is still wanted.
    mutating func nextDeadline() -> MonotonicTime? {
        while let first = nodes.min, first.handler == nil {
            nodes.removeMin()
            cancelled -= 1
        }
        return nodes.min?.deadline
    }

    /// Takes the first timer that is due at `now`, unless it was created after number `last`.
    mutating func popDue(at now: MonotonicTime, upTo last: UInt64) -> Node? {
        guard let deadline = nextDeadline(), deadline <= now, let first = nodes.min, first.sequence <= last else {
            return nil
        }
        return nodes.removeMin()
    }
}
