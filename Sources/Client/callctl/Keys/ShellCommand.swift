// ShellCommand: runs a line of a shell for its output.

import EventLoop
import Files
import Glibc

enum ShellCommand {
    private static let timeout = 20_000
    private static let longest = 1 << 16

    /// Runs a line of /bin/sh and returns what it has printed, without the last line feed.
    ///
    /// - Throws: what it has said, if it fails.
    @LoopActor
    static func run(_ line: String) async throws(Failure) -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(.refused, "no pipe: \(SystemError.last("pipe"))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let (exits, exited) = AsyncStream.makeStream(of: ExitStatus.self)
        let (outputs, printed) = AsyncStream.makeStream(of: [UInt8].self)
        do {
            _ = try ChildProcess.spawn("/bin/sh", ["-c", line], descriptors: [1: ends[1], 2: ends[1]]) {
                exited.yield($0)
                exited.finish()
            }
            close(ends[1])
        } catch {
            close(ends[1])
            throw Failure(.refused, "/bin/sh does not start: \(error)")
        }
        let reader = try? PipeReader(ends[0], maximum: longest, timeout: .milliseconds(timeout)) {
            printed.yield((try? $0.get()) ?? [])
            printed.finish()
        }
        guard reader != nil else { throw Failure(.refused, "no pipe") }
        var (text, status) = ("", ExitStatus.exited(-1))
        for await bytes in outputs { text = String(decoding: bytes, as: UTF8.self) }
        for await exit in exits { status = exit }
        while text.last == "\n" { text.removeLast() }
        guard status == .exited(0) else { throw Failure(.refused, "\(line): \(text.printable)") }
        withExtendedLifetime(reader) {}
        return text
    }
}
