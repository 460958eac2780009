// LoopTimer: calls a handler once, not before its time.

/// A one-shot timer. It fires on the loop, never early, in the order of the deadlines and, for equal ones, of creation.
/// Dropping the timer cancels it.
@LoopActor
public final class LoopTimer {
    private let node: TimerQueue.Node

    public init(at deadline: MonotonicTime, handler: @escaping @LoopActor () -> Void) {
        node = Reactor.shared.addTimer(at: deadline, handler: handler)
    }

    public convenience init(after duration: Duration, handler: @escaping @LoopActor () -> Void) {
        self.init(at: .now.advanced(by: duration), handler: handler)
    }

    deinit {
        let node = node
        Loop.shared.finish { LoopTimer.cancel(node) }
    }

    /// Whether the timer has neither fired nor been cancelled.
    public var isPending: Bool { node.handler != nil }

    public func cancel() { LoopTimer.cancel(node) }

    /// Returns after a time.
    public static func pause(for duration: Duration) async {
        var timer: LoopTimer?
        await withCheckedContinuation { continuation in
            timer = LoopTimer(after: duration) { continuation.resume() }
        }
        timer?.cancel()
    }

    private static func cancel(_ node: TimerQueue.Node) {
        guard node.handler != nil else { return }
        node.handler = nil
        Reactor.shared.noteCancelledTimer()
    }
}
