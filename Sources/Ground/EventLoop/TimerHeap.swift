// TimerHeap: pending timers, the next one first. Cancelled ones stay until they surface or outnumber the others.

@LoopActor
struct TimerHeap {
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

        func precedes(_ other: Node) -> Bool {
            deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
        }
    }

    private var nodes: [Node] = []
    private var cancelled = 0
    /// The number of the timer created last.
    private(set) var lastSequence: UInt64 = 0

    var isEmpty: Bool { nodes.isEmpty }

    mutating func insert(_ node: Node) {
        lastSequence += 1
        node.sequence = lastSequence
        nodes.append(node)
        siftUp(from: nodes.count - 1)
    }

    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > nodes.count / 2 else { return }
        nodes.removeAll { $0.handler == nil }
        cancelled = 0
        for index in stride(from: nodes.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
    }

    /// The deadline of the first timer that is still wanted.
    var nextDeadline: MonotonicTime? {
        mutating get {
            dropCancelled()
            return nodes.first?.deadline
        }
    }

    /// Takes the first timer that is due at `now`, unless it was created after number `last`.
    mutating func popDue(at now: MonotonicTime, upTo last: UInt64) -> Node? {
        dropCancelled()
        guard let first = nodes.first, first.deadline <= now, first.sequence <= last else { return nil }
        removeFirst()
        return first
    }

    private mutating func dropCancelled() {
        while let first = nodes.first, first.handler == nil {
            removeFirst()
            cancelled -= 1
        }
    }

    private mutating func removeFirst() {
        nodes.swapAt(0, nodes.count - 1)
        nodes.removeLast()
        siftDown(from: 0)
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0, nodes[index].precedes(nodes[(index - 1) / 2]) {
            nodes.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < nodes.count && nodes[child].precedes(nodes[first]) {
                first = child
            }
            if first == index { return }
            nodes.swapAt(index, first)
            index = first
        }
    }
}
