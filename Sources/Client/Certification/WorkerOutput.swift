// WorkerOutput: what a worker and its plugin write to standard output and standard error.

import CallModel
import EventLoop
import Glibc
import CallWire

/// Reads a pipe to its end and keeps the last line. Dropping it closes the pipe.
@LoopActor
final class WorkerOutput {
    /// For the worker; closed once it has it.
    private(set) var writingEnd: Int32
    private var readingEnd: Int32
    private var watch: FileWatch?
    private var rest: [UInt8] = []
    /// The last line that was not empty, safe to show.
    private(set) var lastLine = ""
    private let onLine: @LoopActor (String) -> Void
    private static let longestLine = 4_096

    init(onLine: @escaping @LoopActor (String) -> Void) throws(SystemError) {
        self.onLine = onLine
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK)
        watch = try FileWatch(readingEnd, .readable) { [weak self] _ in self?.drain() }
    }

    isolated deinit {
        watch?.cancel()
        closeWritingEnd()
        if readingEnd >= 0 { close(readingEnd) }
    }

    func closeWritingEnd() {
        if writingEnd >= 0 { close(writingEnd) }
        writingEnd = -1
    }

    /// Takes what is there now, up to what a pipe holds: who writes without end does not keep others from their turn.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<16 where readingEnd >= 0 {
            let count = read(readingEnd, &buffer, buffer.count)
            if count < 0 { return }
            if count == 0 {
                watch?.cancel()
                watch = nil
                close(readingEnd)
                readingEnd = -1
                line(rest[...])
                return
            }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line(rest[..<end])
                rest.removeFirst(end + 1)
            }
            if rest.count > Self.longestLine { rest = [] }
        }
    }

    private func line(_ bytes: ArraySlice<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self).displayable
        guard !text.isEmpty else { return }
        lastLine = text
        onLine(text)
    }
}
