// VirtualClock: a clock that a test moves.

package import CallCore
package import CallHost
package import CallModel
package import EventLoop

/// Calls its handlers one by one, in the order of their moments and, for equal ones, of their creation.
@LoopActor
package final class VirtualClock: HostClock {
    package private(set) var now: Instant
    package var onStep: @LoopActor () -> Void = {}
    private var timers: [Entry] = []
    private var count: UInt64 = 0

    package init(at now: Instant) {
        self.now = now
    }

    package func timer(at moment: Instant, _ handler: @escaping @LoopActor () -> Void) -> any HostTimer {
        count += 1
        let entry = Entry(uptime: moment.uptime, order: count, handler: handler)
        timers.removeAll { $0.handler == nil }
        timers.append(entry)
        return VirtualTimer(entry)
    }

    /// The moment of the next timer; nil without a timer.
    package var nextMoment: Uptime? { timers.lazy.filter { $0.handler != nil }.map(\.uptime).min() }

    /// How many timers have neither fired nor been cancelled.
    package var timerCount: Int { timers.count { $0.handler != nil } }

    /// Advances the time without firing timers.
    package func move(to uptime: Uptime) {
        guard uptime > now.uptime else { return }
        now.date += uptime - now.uptime
        now.uptime = uptime
    }

    /// Advances the time, and fires what is due then.
    package func pass(_ duration: Duration) {
        move(to: now.advanced(by: duration).uptime)
        while fireNext() {}
    }

    /// Sets the date; the other clock goes on as if nothing had happened.
    package func set(date: WallTime) {
        now.date = date
        onStep()
    }

    /// Fires the next timer that is due. Returns false if none is due.
    package func fireNext() -> Bool {
        let due = timers.filter { $0.handler != nil && $0.uptime <= now.uptime }
        guard let next = due.min(by: { ($0.uptime, $0.order) < ($1.uptime, $1.order) }) else { return false }
        let handler = next.handler
        next.handler = nil
        handler?()
        return true
    }
}

@LoopActor
private final class Entry {
    let uptime: Uptime
    let order: UInt64
    var handler: (@LoopActor () -> Void)?

    init(uptime: Uptime, order: UInt64, handler: @escaping @LoopActor () -> Void) {
        self.uptime = uptime
        self.order = order
        self.handler = handler
    }
}

@LoopActor
private final class VirtualTimer: HostTimer {
    private let entry: Entry

    init(_ entry: Entry) { self.entry = entry }

    isolated deinit { entry.handler = nil }

    func cancel() { entry.handler = nil }
}
