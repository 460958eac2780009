// Changes that a provider makes without end are told at a bounded rate.

import CallCore
import EventLoop

/// Tells of at most 20 changes in any second. What comes too soon is told together a little later; the last one always is.
@LoopActor
final class ChangePacer {
    private var limit = RateLimit(burst: 10, every: 100_000)
    private var held: (@LoopActor () -> Void)?
    private var timer: (any HostTimer)?

    /// Tells of a change now, and of what was held back with it.
    func tellNow(_ tell: @LoopActor () -> Void) {
        held = nil
        timer = nil
        tell()
    }

    /// Tells of a change as soon as the rate allows it, unless `tell` of a later one takes its place.
    func tellInTime(on clock: any HostClock, _ tell: @escaping @LoopActor () -> Void) {
        let now = clock.now
        if held == nil, limit.take(at: now) { return tell() }
        held = tell
        guard timer == nil else { return }
        let pause = limit.wait(at: now)
        timer = clock.timer(at: Instant(uptime: now.uptime + pause, date: now.date + pause)) { [weak self] in
            guard let self, let held else { return }
            _ = limit.take(at: clock.now)
            tellNow(held)
        }
    }
}
