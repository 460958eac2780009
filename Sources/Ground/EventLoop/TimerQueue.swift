// TimerQueue: the pending timers, in the order in which they will fire.

@LoopActor
struct TimerQueue {
    @LoopActor
    final class Node {
        let deadline: MonotonicTime
        var sequence: UInt64 = 0
        /// Nil once the timer has fired or was cancelled.
        var handler: (@LoopActor () -> Void)?

        init(deadline: MonotonicTime, handler: @escaping @LoopActor () -> Void) {
            self.deadline = deadline
            self.handler = handler
        }
    }

    private var nodes: [Node] = []
    /// The number of the timer created last.
    private(set) var lastSequence: UInt64 = 0

    var nextDeadline: MonotonicTime? { nodes.first?.deadline }

    /// Adds a timer behind those that are due before it or at the same time.
    mutating func insert(_ node: Node) {
        lastSequence += 1
        node.sequence = lastSequence
        let place = nodes.lastIndex { $0.deadline <= node.deadline }.map { $0 + 1 } ?? 0
        nodes.insert(node, at: place)
    }

    mutating func remove(_ node: Node) {
        nodes.removeAll { $0 === node }
    }

    /// Takes the first timer that is due at `now`, unless it was created after number `last`.
    mutating func popDue(at now: MonotonicTime, upTo last: UInt64) -> Node? {
        guard let first = nodes.first, first.deadline <= now, first.sequence <= last else { return nil }
        return nodes.removeFirst()
    }
}
