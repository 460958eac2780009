// Handover: what the SDK has put on an app's queues and what has not run yet.

internal import EventLoop

/// Lets a test wait until everything that was told has been heard.
enum Handover {
    static let underWay = DispatchGroup()
}

extension DispatchQueue {
    /// Runs what is the app's on the queue of its choice.
    func handOver(_ body: @escaping @Sendable () -> Void) {
        async(group: Handover.underWay, execute: body)
        // In a worker, where the loop runs the main queue, it need not go to sleep to be woken for that.
        if Loop.shared.isCurrent { Loop.shared.post { MainQueueWatch.drain() } }
    }
}
