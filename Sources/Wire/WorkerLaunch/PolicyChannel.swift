// PolicyChannel: hands a worker its policy, and takes its report.

internal import EventLoop
internal import Glibc

/// This process's end of a pair of sockets. Neither sending nor reading waits for the worker.
final class PolicyChannel {
    private let descriptor: Int32
    /// The worker's end; -1 once it is closed here.
    private(set) var workerEnd: Int32
    private var received: [UInt8] = []
    private var known: SandboxReport?
    private var isOver = false

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last("socketpair") }
        (descriptor, workerEnd) = (ends[0], ends[1])
        // The worker waits for its policy.
        _ = fcntl(workerEnd, F_SETFL, fcntl(workerEnd, F_GETFL) & ~O_NONBLOCK)
        // Twice as much as is ever sent, as the kernel counts its own part as well.
        var room = Int32(2 * SandboxPolicy.maximumSize)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
        closeWorkerEnd()
    }

    /// Closes this process's copy of the end that the worker has.
    func closeWorkerEnd() {
        if workerEnd >= 0 { close(workerEnd) }
        workerEnd = -1
    }

    /// Sends the whole policy and its end. False if the worker is gone, or the kernel has no room for it.
    func send(_ policy: [UInt8]) -> Bool {
        var rest = policy[...]
        while !rest.isEmpty {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = Glibc.send(descriptor, Array(rest), rest.count, flags)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return shutdown(descriptor, Int32(SHUT_WR)) == 0
    }

    /// The report as far as it has come; nil if the worker has not told its level.
    var report: SandboxReport? {
        let before = received.count
        receive()
        if received.count > before { known = SandboxReport(received) }
        return known
    }

    private func receive() {
        var portion = [UInt8](repeating: 0, count: 4_096)
        while !isOver, received.count < SandboxReport.maximumSize {
            let count = recv(descriptor, &portion, portion.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return isOver = true }
            received += portion[..<count]
        }
    }
}
