// MainQueueWatch: has the loop drain the main dispatch queue, when the loop is the main thread.

internal import CSystem

/// Makes `DispatchQueue.main` and the main actor run on the main thread of a process whose main thread is the loop.
/// What waits there is done between other work of the loop, until the watch is dropped.
@LoopActor
public final class MainQueueWatch {
    private var watch: FileWatch?
    private static var isThere = false
    /// Whether what runs now is from the main queue.
    private static var isRunning = false

    /// To be called on the main thread.
    /// - Throws: `ENOSYS` if there is no libdispatch in this process.
    public init() throws(SystemError) {
        let handle = ock_main_queue_handle()
        guard handle >= 0 else { throw SystemError(call: "dispatch_get_main_queue", code: ENOSYS) }
        watch = try FileWatch(handle, .readable) { _ in
            ock_take_main_queue_wakes(handle)
            MainQueueWatch.run {}
        }
        MainQueueWatch.isThere = true
    }

    isolated deinit {
        if watch != nil { MainQueueWatch.isThere = false }
    }

    /// Has `body` run after what waits on the main queue, as if it had been put there: on the main thread, and nothing else
    /// of the main queue at the same time.
    ///
    /// - Returns: false, and nothing happens, if there is no watch, or if the caller is itself what runs on the main queue:
    ///   what it has put there before is to go first, and what it will put there comes after.
    public static func runNext(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isThere, !isRunning else { return false }
        Loop.shared.post { run(body) }
        return true
    }

    private static func run(_ body: () -> Void) {
        isRunning = true
        defer { isRunning = false }
        ock_drain_main_queue()
        body()
    }
}
