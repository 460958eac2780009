// ThreadExecutor: a thread for an actor that waits.

/// Runs an actor on a thread of its own, where it may call what blocks: neither the loop nor another actor waits for it.
public final class ThreadExecutor: SerialExecutor {
    private let thread: BackgroundThread

    /// - Parameter name: The name of the thread in `ps` and `top`, at most 15 bytes.
    public init(_ name: String) throws(SystemError) {
        thread = try BackgroundThread(name, isAwaited: true)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        thread.post { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
