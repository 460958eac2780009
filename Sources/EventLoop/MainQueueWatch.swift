// MainQueueWatch: has the loop drain the main dispatch queue, when the loop is the main thread.

internal import CDBus

/// Makes `DispatchQueue.main` and the main actor run on the main thread of a process whose main thread is the loop.
/// What waits there is done between other work of the loop, until the watch is dropped.
@LoopActor
public final class MainQueueWatch {
    private var watch: FileWatch?
    private static var handle: Int32 = -1

    /// To be called on the main thread.
    /// - Throws: `ENOSYS` if there is no libdispatch in this process.
    public init() throws(SystemError) {
        let handle = ock_main_queue_handle()
        guard handle >= 0 else { throw SystemError(call: "dispatch_get_main_queue", code: ENOSYS) }
        watch = try FileWatch(handle, .readable) { _ in ock_drain_main_queue(handle) }
        MainQueueWatch.handle = handle
    }

    isolated deinit {
        if watch != nil { MainQueueWatch.handle = -1 }
    }

    /// Does now what waits on the main queue, if there is a watch: for those who have just put something there and need
    /// not sleep until the loop is woken for it.
    public static func drain() {
        if handle >= 0 { ock_drain_main_queue(handle) }
    }
}
