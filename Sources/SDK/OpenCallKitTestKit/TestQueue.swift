// TestQueue: one test after another.

internal import Synchronization

/// A process has one connection to a host, so tests with a host run one after another.
final class TestQueue: Sendable {
    private struct Queue {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let queue = Mutex(Queue())

    /// Returns when it is the caller's turn, in the order of the calls.
    func begin() async {
        await withCheckedContinuation { continuation in
            let isMine = queue.withLock { queue in
                if queue.isTaken { queue.waiting.append(continuation) }
                defer { queue.isTaken = true }
                return !queue.isTaken
            }
            if isMine { continuation.resume() }
        }
    }

    func end() {
        let next = queue.withLock { queue in
            if queue.waiting.isEmpty { queue.isTaken = false }
            return queue.waiting.isEmpty ? nil : queue.waiting.removeFirst()
        }
        next?.resume()
    }
}
