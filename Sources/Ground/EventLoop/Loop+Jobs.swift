// Jobs of no executor: run on the loop, so that a process keeps to one thread.

internal import CSystem

extension Loop {
    /// Makes the shared loop run all jobs that belong to no executor. Such a job comes after each continuation, even one
    /// that `LoopActor` awaits; by default the runtime starts threads for them. To be called before the first task.
    public static func takeAllJobs() { ock_take_jobs() }
}

@_cdecl("ock_run_on_loop")
func runOnLoop(_ job: UnsafeMutableRawPointer) {
    Loop.shared.take(unsafeBitCast(job, to: UnownedJob.self))
}
