// Handover: what the SDK has put on an app's queues and what has not run yet.

internal import EventLoop

/// Lets a test wait until everything that was told has been heard.
enum Handover {
    static let underWay = DispatchGroup()
}

extension DispatchQueue {
    /// Runs what is the app's on the queue of its choice.
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
