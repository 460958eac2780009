// ProcessSandbox: confines the process that calls it.

internal import CSandbox
public import EventLoop
internal import Glibc

/// The sandbox of CSandbox, for programs in Swift.
public enum ProcessSandbox {
    /// Confines this process for good, by the lines of a policy as `CSandbox/include/sandbox.h` describes them. The
    /// process has one thread: call this first of all.
    ///
    /// - Returns: The report, as lines.
    /// - Throws: The failed step. The process may be confined in part then, and must end.
    public static func enter(_ policy: [UInt8]) throws(SystemError) -> [UInt8] {
        guard threadCount == 1 else { throw SystemError(call: "sandbox of more than one thread", code: EBUSY) }
        var ends: [Int32] = [-1, -1]
        // What does not fit is lost; the process must not wait for itself.
        guard pipe(&ends) == 0, fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 else { throw .last("pipe") }
        defer { close(ends[0]) }
        let text = policy.map { CChar(bitPattern: $0) }
        let level = sandbox_confine(text, text.count, ends[1])
        close(ends[1])
        guard level >= 0 else { throw SystemError(call: "sandbox", code: -level) }
        var report: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(ends[0], &part, part.count)
            guard count > 0 else { return report }
            report += part.prefix(count)
        }
    }

    /// How many threads this process has; 0 if that cannot be told.
    private static var threadCount: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 2)
    }
}
