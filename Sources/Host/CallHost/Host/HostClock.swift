// Where the host's time comes from: the machine's clocks, or one that moves only when told.

package import CallCore
package import EventLoop

/// Tells the time, and calls back when a moment has come.
@LoopActor
package protocol HostClock: AnyObject {
    var now: Instant { get }

    /// Calls `handler` once, not before `moment`; those of equal moments in the order in which they were asked for.
    func timer(at moment: Instant, _ handler: @escaping @LoopActor () -> Void) -> any HostTimer
}

/// Dropping it cancels it.
@LoopActor
package protocol HostTimer: AnyObject {
    func cancel()
}

extension LoopTimer: HostTimer {}

/// The clocks of the machine and the timers of the loop.
@LoopActor
final class SystemClock: HostClock {
    var now: Instant {
        Instant(uptime: MonotonicTime.now.nanoseconds / 1_000, date: WallTime.now.microseconds)
    }

    func timer(at moment: Instant, _ handler: @escaping @LoopActor () -> Void) -> any HostTimer {
        LoopTimer(at: MonotonicTime(nanoseconds: moment.uptime * 1_000), handler: handler)
    }
}
