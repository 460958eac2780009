// ExaminerProgram: a program that the examiner names, to change what is around a plugin.

import EventLoop
import Glibc

enum ExaminerProgram {
    /// Runs a program to its end, with standard error as its standard output.
    ///
    /// - Parameters:
    ///   - command: its path, and its arguments.
    ///   - limit: the time after which it is killed.
    @LoopActor
    static func run(_ command: [String], _ limit: Duration) async throws(SystemError) -> ExitStatus {
        guard let program = command.first else { throw SystemError(call: "posix_spawn", code: EINVAL) }
        var (status, waiter): (ExitStatus?, CheckedContinuation<ExitStatus, Never>?) = (nil, nil)
        let child = try ChildProcess.spawn(program, Array(command.dropFirst()), descriptors: [1: STDERR_FILENO]) {
            status = $0
            waiter?.resume(returning: $0)
        }
        let timer = LoopTimer(after: limit) { child.kill(SIGKILL) }
        defer { timer.cancel() }
        if let status { return status }
        return await withCheckedContinuation { waiter = $0 }
    }
}
