// Handover: counts the work that the SDK has put on an app's queues.

internal import EventLoop

/// Allows a test to wait until all work on the app's queues has run.
enum Handover {
    static let underWay = DispatchGroup()
}

extension DispatchQueue {
    /// Runs work of the app on the queue of its choice.
    func handOver(_ body: @escaping @Sendable () -> Void) {
        // In a worker the loop is the main thread, and need not be woken to find on the main queue what it put there.
        if Loop.shared.isCurrent, MainPlace.isMain(self),
            LoopActor.assumeIsolated({ MainQueueWatch.runNext(body) })
        {
            return
        }
        async(group: Handover.underWay, execute: body)
    }
}
