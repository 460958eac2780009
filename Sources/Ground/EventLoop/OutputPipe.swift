// OutputPipe: passes on what a child writes to its standard error, and keeps its last words.

internal import Glibc

/// A pipe whose writing end becomes a child's standard error. What the child writes goes to this process's standard error.
@LoopActor
public final class OutputPipe {
    /// The end for the child; -1 once it is closed here.
    public private(set) var writingEnd: Int32
    private let readingEnd: Int32
    private var watch: FileWatch?
    private var line: [UInt8] = []
    private var last: [UInt8] = []

    /// The longest line that is kept, in bytes.
    private static let maximumLine = 512
    /// How much is read at a time, in bytes.
    private static let portion = 4_096

    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK)
        watch = try FileWatch(readingEnd, .readable) { [weak self] _ in self?.readPortion() }
    }

    isolated deinit {
        watch?.cancel()
        close(readingEnd)
        closeWritingEnd()
    }

    /// Closes this process's copy of the end that the child has.
    public func closeWritingEnd() {
        if writingEnd >= 0 { close(writingEnd) }
        writingEnd = -1
    }

    /// Reads what has been written, and returns the line with a fatal error, or else the last line.
    public func lastWords() -> String {
        // What a child leaves behind fits into a pipe: 64 KiB.
        for _ in 0..<16 where !readPortion() { break }
        return String(decoding: line.isEmpty || Self.isFatal(last) ? last : line, as: UTF8.self)
    }

    /// - Returns: false if there was nothing to read.
    @discardableResult
    private func readPortion() -> Bool {
        var bytes = [UInt8](repeating: 0, count: Self.portion)
        let count = read(readingEnd, &bytes, bytes.count)
        if count <= 0 {
            let isOver = count == 0 || (errno != EAGAIN && errno != EINTR)
            if isOver { watch?.cancel() }
            return false
        }
        _ = write(STDERR_FILENO, bytes, count)
        for byte in bytes[..<count] { take(byte) }
        return true
    }

    private func take(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else {
            if line.count < Self.maximumLine { line.append(byte) }
            return
        }
        if !line.isEmpty, !Self.isFatal(last) || Self.isFatal(line) { last = line }
        line = []
    }

    private static func isFatal(_ line: [UInt8]) -> Bool {
        String(decoding: line, as: UTF8.self).contains("Fatal error:")
    }
}
