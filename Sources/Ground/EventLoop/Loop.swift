// Loop: the thread that everything runs on, and the queue that leads to it.

internal import CSystem
internal import Glibc
internal import Synchronization

/// The one epoll loop of the process. It is the executor of `LoopActor`; its own members may be used from any thread.
///
/// Nothing runs until a thread becomes the loop with `run()` or `start()`; work posted before that waits. With nothing
/// due, the thread sleeps without a time-out.
public final class Loop: SerialExecutor, Sendable {
    public static let shared = Loop()

    private enum Work: Sendable {
        case job(UnownedJob)
        case closure(@LoopActor () -> Void)
    }

    private struct Queue {
        var work: [Work] = []
        /// The loop sleeps, or is about to, and nobody has woken it.
        var sleeping = false
        var stopping = false
        var running = false
    }

    /// How often posted work may lead to more of it before the loop looks what else there is.
    private static let maximumRounds = 16

    private let queue = Mutex(Queue())
    private let thread = Atomic<UInt>(0)
    private let wakeUp = eventfd(0, ock_eventfd_flags)

    private init() {}

    /// Whether the caller is on the loop's thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// The longest time, in the last one to two minutes, for which the loop did not look at what arrives.
    @LoopActor public var lag: Duration { Reactor.shared.longestLag }

    /// Runs `body` on the loop, after everything posted before it.
    public func post(_ body: @escaping @LoopActor () -> Void) { enqueue(.closure(body)) }

    /// Runs `body` at once if the caller is on the loop, and posts it otherwise. For `deinit`, of which the compiler's own
    /// way to the loop takes many times as long.
    public func finish(_ body: @escaping @LoopActor () -> Void) {
        if isCurrent { LoopActor.assumeIsolated(body) } else { post(body) }
    }

    public func enqueue(_ job: consuming ExecutorJob) { post(UnownedJob(job)) }

    func post(_ job: UnownedJob) { enqueue(.job(job)) }

    private func enqueue(_ work: Work) {
        let wake = queue.withLock { queue in
            queue.work.append(work)
            defer { queue.sleeping = false }
            return queue.sleeping
        }
        if wake { eventfd_write(wakeUp, 1) }
    }

    public func checkIsolated() { precondition(isCurrent, "LoopActor code was entered from another thread") }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Makes the calling thread the loop, until `stop()` is called. Returns at once if another thread is the loop.
    public func run() {
        let mine = queue.withLock { queue in
            defer { queue.running = true }
            return !queue.running
        }
        if mine { runToTheEnd() }
    }

    /// Starts a thread that is the loop, and returns when it runs. Does nothing if the loop already runs.
    public func start() {
        let mine = queue.withLock { queue in
            defer { queue.running = true }
            return !queue.running
        }
        if mine {
            var identifier = pthread_t()
            let result = pthread_create(&identifier, nil, { _ in Loop.shared.runOnThisThread() }, nil)
            precondition(result == 0, "no thread for the event loop")
            pthread_detach(identifier)
        }
        while thread.load(ordering: .acquiring) == 0 { sched_yield() }
    }

    private func runOnThisThread() -> UnsafeMutableRawPointer? {
        ock_name_thread("event-loop")
        runToTheEnd()
        return nil
    }

    /// Ends `run()` after the work that is already queued.
    public func stop() {
        let wake = queue.withLock { queue in
            queue.stopping = true
            defer { queue.sleeping = false }
            return queue.sleeping
        }
        if wake { eventfd_write(wakeUp, 1) }
    }

    private func runToTheEnd() {
        thread.store(UInt(pthread_self()), ordering: .releasing)
        LoopActor.assumeIsolated {
            let reactor = Reactor.shared
            reactor.watch(wakeUp: wakeUp)
            var work: [Work] = []
            while true {
                let then = workOff(&work)
                if then == .end { break }
                reactor.waitForEvents(forever: then == .sleep)
                if then == .sleep { awake() }
                reactor.dispatchEvents()
            }
        }
        thread.store(0, ordering: .releasing)
        queue.withLock { queue in
            queue.running = false
            queue.stopping = false
        }
    }

    /// What is to come after a stretch of work.
    private enum Next {
        case sleep, lookAround, end
    }

    /// Does what is queued and due. What follows from that goes first, but not for ever.
    @LoopActor private func workOff(_ work: inout [Work]) -> Next {
        let executor = asUnownedSerialExecutor()
        for _ in 0..<Loop.maximumRounds {
            let isLast = exchange(&work)
            for item in work {
                switch item {
                case .job(let job): job.runSynchronously(on: executor)
                case .closure(let body): body()
                }
            }
            work.removeAll(keepingCapacity: true)
            Reactor.shared.fireTimers()
            if isLast { return .end }
            if goToSleep() { return .sleep }
        }
        return .lookAround
    }

    // MARK: as a guest of another loop

    /// Makes the calling thread the loop without running it: the loop of a library runs there, and calls `turn` when the
    /// descriptor that this returns can be read, or when `timeToNextTurn` has passed. Nil if another thread is the loop.
    public func join() -> Int32? {
        let mine = queue.withLock { queue in
            defer { queue.running = true }
            return !queue.running
        }
        guard mine else { return nil }
        thread.store(UInt(pthread_self()), ordering: .releasing)
        return LoopActor.assumeIsolated {
            Reactor.shared.watch(wakeUp: wakeUp)
            return Reactor.shared.descriptor
        }
    }

    /// Does what has arrived, is queued or is due, without waiting for more. False once the loop was stopped.
    @LoopActor public func turn() -> Bool {
        awake()
        Reactor.shared.waitForEvents(forever: false)
        Reactor.shared.dispatchEvents()
        var work: [Work] = []
        let then = workOff(&work)
        Reactor.shared.rest()
        return then != .end
    }

    /// How many milliseconds may pass until the next turn if nothing arrives; -1 for any number. Rounded up, so that no timer
    /// fires early.
    @LoopActor public var timeToNextTurn: Int32 {
        queue.withLock(\.sleeping) ? Reactor.shared.timeToNextTimer : 0
    }

    // MARK: the queue
    //
    // Closures of code that is isolated to the actor are checked for it each time, at a hundred times the price of these.

    /// Takes what was posted, in exchange for an empty list. True if nothing is to come after it.
    private func exchange(_ work: inout [Work]) -> Bool {
        queue.withLock { queue in
            swap(&queue.work, &work)
            return queue.stopping
        }
    }

    /// False if there is something to do, so that the loop must not sleep.
    private func goToSleep() -> Bool {
        queue.withLock { queue in
            queue.sleeping = queue.work.isEmpty && !queue.stopping
            return queue.sleeping
        }
    }

    private func awake() {
        queue.withLock { $0.sleeping = false }
    }
}

extension Loop {
    /// Whether the caller is on the thread that the process began with.
    public static var isMainThread: Bool { ock_is_main_thread() != 0 }
}

extension Loop {
    /// Makes the shared loop run all jobs that belong to no executor. Such a job comes after each continuation, even one
    /// that `LoopActor` awaits; by default the runtime starts threads for them. To be called before the first task.
    public static func runAllJobs() { ock_take_jobs() }
}

@_cdecl("ock_run_on_loop")
func runOnLoop(_ job: UnsafeMutableRawPointer) {
    Loop.shared.post(unsafeBitCast(job, to: UnownedJob.self))
}
