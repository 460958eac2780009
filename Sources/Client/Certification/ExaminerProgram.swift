// ExaminerProgram: a program that the examiner names, to change what is around a plugin.

import EventLoop
import Glibc

/// One run of a program, with standard error as its standard output.
@LoopActor
final class ExaminerProgram {
    /// How it ended; nil while it runs.
    private(set) var end: ExitStatus?
    private var child: ChildProcess?

    /// - Parameters:
    ///   - command: its path, and its arguments.
    ///   - onEnd: called once, when it has ended.
    init(_ command: [String], onEnd: @escaping @LoopActor () -> Void) throws(SystemError) {
        guard let program = command.first else { throw SystemError(call: "posix_spawn", code: EINVAL) }
        child = try ChildProcess.spawn(program, Array(command.dropFirst()), descriptors: [1: STDERR_FILENO]) {
            [weak self] status in
            self?.end = status
            onEnd()
        }
    }

    /// Signals it, with what it has started.
    func kill(_ signal: Int32) {
        guard end == nil, let child else { return }
        Glibc.kill(-child.pid, signal)
    }

    /// Runs a program to its end.
    ///
    /// - Parameter limit: the time after which it is killed.
    static func run(_ command: [String], _ limit: Duration) async throws(SystemError) -> ExitStatus {
        var waiter: CheckedContinuation<Void, Never>?
        let program = try ExaminerProgram(command) {
            waiter?.resume()
            waiter = nil
        }
        let timer = LoopTimer(after: limit) { program.kill(SIGKILL) }
        defer { timer.cancel() }
        if program.end == nil { await withCheckedContinuation { waiter = $0 } }
        return program.end ?? .signalled(SIGKILL)
    }
}
