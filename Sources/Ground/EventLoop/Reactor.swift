// Reactor: what the loop waits for. Watches are known to epoll by numbers that are never used twice, so that an event
// for a descriptor that was closed, or closed and opened again, finds nobody.

internal import CSystem
internal import Glibc

@LoopActor
final class Reactor {
    static let shared = Reactor()
    nonisolated private static let batch = 64
    nonisolated private static let wakeUpKey: UInt64 = 0

    private struct Entry {
        unowned let watch: FileWatch
        let descriptor: Int32
    }

    private let epoll = epoll_create1(ock_epoll_cloexec)
    private var lastKey = Reactor.wakeUpKey
    private var watches: [UInt64: Entry] = [:]
    private var keys: [Int32: UInt64] = [:]
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Reactor.batch)
    private var eventCount = 0
    private var wakeUp: Int32 = -1
    private var timers = TimerQueue()
    private(set) var lag = LoopLag()

    func watch(wakeUp descriptor: Int32) {
        guard wakeUp != descriptor else { return }
        wakeUp = descriptor
        var event = epoll_event()
        event.events = ock_epoll_in
        event.data.u64 = Reactor.wakeUpKey
        let result = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        precondition(result == 0, "no epoll for the event loop")
    }

    // MARK: descriptors

    func add(_ watch: FileWatch, _ descriptor: Int32, _ readiness: Readiness) throws(SystemError) -> UInt64 {
        let key = lastKey + 1
        try control(EPOLL_CTL_ADD, descriptor, key, readiness)
        lastKey = key
        watches[key] = Entry(watch: watch, descriptor: descriptor)
        keys[descriptor] = key
        return key
    }

    func change(_ key: UInt64, _ readiness: Readiness) {
        guard let descriptor = watches[key]?.descriptor, keys[descriptor] == key else { return }
        try? control(EPOLL_CTL_MOD, descriptor, key, readiness)
    }

    func remove(_ key: UInt64) {
        guard let descriptor = watches.removeValue(forKey: key)?.descriptor, keys[descriptor] == key else { return }
        keys[descriptor] = nil
        try? control(EPOLL_CTL_DEL, descriptor, key, [])
    }

    private func control(
        _ operation: Int32, _ descriptor: Int32, _ key: UInt64, _ readiness: Readiness
    ) throws(SystemError) {
        var event = epoll_event()
        event.events = readiness.epollEvents
        event.data.u64 = key
        if epoll_ctl(epoll, operation, descriptor, &event) != 0 { throw .last("epoll_ctl") }
    }

    // MARK: timers

    func addTimer(at deadline: MonotonicTime, handler: @escaping @LoopActor () -> Void) -> TimerQueue.Node {
        timers.add(at: deadline, handler: handler)
    }

    var longestLag: Duration { lag.lag(at: .now) }

    /// In milliseconds, rounded up; -1 if there is none.
    var timeToNextTimer: Int32 {
        guard let deadline = timers.nextDeadline() else { return -1 }
        let now = MonotonicTime.now
        return deadline > now
            ? Int32(clamping: (deadline.nanoseconds - now.nanoseconds + 999_999) / 1_000_000) : 0
    }

    func noteCancelledTimer() { timers.noteCancelled() }

    func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = MonotonicTime.now
        let last = timers.lastSequence
        while let node = timers.popDue(at: now, upTo: last) {
            let handler = node.handler
            node.handler = nil
            handler?()
        }
    }

    // MARK: one turn

    /// The descriptor that can be read when something has arrived.
    var descriptor: Int32 { epoll }

    /// Others have the thread now.
    func rest() { lag.waits(at: .now) }

    func waitForEvents(forever: Bool) {
        lag.waits(at: .now)
        let timeout = forever ? timeToNextTimer : 0
        eventCount = Int(max(0, epoll_wait(epoll, events, Int32(Reactor.batch), timeout)))
        lag.wakes(at: .now)
    }

    func dispatchEvents() {
        for index in 0..<eventCount {
            let key = events[index].data.u64
            if key == Reactor.wakeUpKey {
                var count: eventfd_t = 0
                eventfd_read(wakeUp, &count)
            } else if let entry = watches[key] {
                let watch = entry.watch
                watch.deliver(Readiness(epollEvents: events[index].events))
            }
        }
    }
}
