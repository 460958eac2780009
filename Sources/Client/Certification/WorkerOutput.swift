// WorkerOutput: what a worker and its plugin write to standard output and standard error.

import CallModel
import EventLoop
import Glibc

/// Reads a pipe to its end and keeps its first line, that of a fatal error, and its tail, for people. No decision depends
/// on it.
///
/// A plugin may write without end. Reading as fast as it writes would take the processor from the examination, so the
/// pipe is emptied once every few milliseconds, and the writer waits meanwhile.
@LoopActor
final class WorkerOutput {
    /// The worker's end; closed here once the worker has it.
    private(set) var writingEnd: Int32
    private var readingEnd: Int32
    private var watch: FileWatch?
    private var tail: [UInt8] = []
    private var first: [UInt8] = []
    private var fatal: [UInt8] = []
    /// The line that has not arrived whole.
    private var line: [UInt8] = []
    private var pause: LoopTimer?
    private static let longestTail = 4_096
    private static let longestLine = 512
    private static let mark = Array("Fatal error:".utf8)
    /// The capacity of a pipe.
    private static let pipeSize = 65_536
    /// The pause after the pipe was emptied.
    private static let pauseLength = Duration.milliseconds(10)

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK)
        watch = try FileWatch(readingEnd, .readable) { [weak self] _ in
            self?.read()
            self?.rest()
        }
    }

    isolated deinit {
        closeWritingEnd()
        closeReadingEnd()
    }

    func closeWritingEnd() {
        if writingEnd >= 0 { close(writingEnd) }
        writingEnd = -1
    }

    private func closeReadingEnd() {
        watch?.cancel()
        watch = nil
        if readingEnd >= 0 { close(readingEnd) }
        readingEnd = -1
    }

    /// The last line that is not empty, as printable text.
    var lastLine: String {
        let line = tail.split(separator: UInt8(ascii: "\n")).last ?? []
        return String(decoding: line, as: UTF8.self).displayable
    }

    /// What tells most of a crash, as printable text: the line with a fatal error, or else the first one. The others are its
    /// stack trace.
    var crashLine: String {
        String(decoding: fatal.isEmpty ? first.isEmpty ? line : first : fatal, as: UTF8.self).displayable
    }

    private func noteLines(in bytes: ArraySlice<UInt8>) {
        guard fatal.isEmpty else { return }
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            line += part.prefix(Self.longestLine - line.count)
            guard index < parts.count - 1 else { break }
            if first.isEmpty { first = line }
            if fatal.isEmpty, line.firstRange(of: Self.mark) != nil { fatal = line }
            line = []
        }
    }

    /// The number between two texts in one of the last lines; 0 if none has them.
    func number(between beginning: String, and end: String) -> Int {
        let lines = String(decoding: tail, as: UTF8.self).split(separator: "\n")
        return lines.last { $0.hasPrefix(beginning) && $0.hasSuffix(end) }
            .flatMap { Int($0.dropFirst(beginning.count).dropLast(end.count)) } ?? 0
    }

    private func rest() {
        watch?.events = []
        pause = LoopTimer(after: Self.pauseLength) { [weak self] in self?.watch?.events = .readable }
    }

    /// Reads the present contents of the pipe.
    func read() {
        guard readingEnd >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: Self.pipeSize)
        let count = Glibc.read(readingEnd, &buffer, buffer.count)
        if count == 0 { return closeReadingEnd() }
        guard count > 0 else { return }
        noteLines(in: buffer[..<count])
        tail = Array((tail + buffer[..<count].suffix(Self.longestTail)).suffix(Self.longestTail))
    }
}
