// Handover: what the SDK has put on an app's queues and what has not run yet.

/// Lets a test wait until everything that was told has been heard.
enum Handover {
    static let underWay = DispatchGroup()
}

extension DispatchQueue {
    /// Runs what is the app's on the queue of its choice.
    func handOver(_ body: @escaping @Sendable () -> Void) { async(group: Handover.underWay, execute: body) }
}
