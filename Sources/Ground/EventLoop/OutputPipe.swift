// OutputPipe: passes on what a child prints, as lines that name it, and keeps its last words.

public import Glibc

/// A pipe whose writing end becomes a child's standard error. Each line goes to this process's standard error, behind the
/// child's name and without control characters, so that a child cannot write lines of others or steer a terminal.
@LoopActor
public final class OutputPipe {
    /// The end for the child; -1 once it is closed here.
    public private(set) var writingEnd: Int32
    private let readingEnd: Int32
    private let name: String
    /// The names of libraries for people, by those that a stack trace has for them.
    private let libraries: [String: String]
    /// Where the lines go.
    private let output: Int32
    private var watch: FileWatch?
    private var line: [UInt8] = []
    private var last: [UInt8] = []
    private var windowBegan = MonotonicTime.now
    private var passed = 0
    private var dropped = 0

    /// The longest line, in bytes. What is longer is cut off.
    private static let maximumLine = 512
    /// How many lines are passed on in each window, and how long that is. Others are counted.
    static let maximumLines = 1_000
    private static let window = Duration.seconds(10)
    /// How much is read at a time, in bytes.
    private static let portion = 4_096

    /// - Parameters:
    ///   - name: What its lines begin with, such as `plugin Phone`.
    ///   - libraries: The names of libraries for people, by those that a stack trace has for them.
    ///   - output: An open file, which stays the caller's.
    public init(
        _ name: String, libraries: [String: String] = [:], output: Int32 = STDERR_FILENO
    ) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        (self.name, self.libraries, self.output) = (name, libraries, output)
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
        tell(line)
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
        for byte in bytes[..<count] { append(byte) }
        return true
    }

    private func append(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else {
            if line.count < Self.maximumLine { line.append(byte) }
            return
        }
        tell(line)
        if !line.isEmpty, !Self.isFatal(last) || Self.isFatal(line) { last = line }
        line = []
    }

    private func tell(_ line: [UInt8]) {
        guard !line.isEmpty, let line = shown(line) else { return }
        if windowBegan.advanced(by: Self.window) <= .now {
            if dropped > 0 { write("\(dropped) more lines were dropped") }
            (windowBegan, passed, dropped) = (.now, 0, 0)
        }
        guard passed < Self.maximumLines else { return dropped += 1 }
        passed += 1
        let (priority, rest) = Self.priority(of: line[...])
        let text = String(decoding: rest, as: UTF8.self).unicodeScalars.filter { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        write(String(String.UnicodeScalarView(text)), priority)
    }

    /// A frame of the Swift runtime's stack trace, such as `3  4  0x00007f01 main + 12`, names its library as people know it,
    /// and is left out if nothing is known of it. Any other line stays.
    private func shown(_ line: [UInt8]) -> [UInt8]? {
        let blank = UInt8(ascii: " ")
        let words = line.split(separator: blank, maxSplits: 3)
        guard words.count == 4, words[0].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            words[2].starts(with: "0x".utf8)
        else { return line }
        if words[3].starts(with: "<unavailable>".utf8) { return nil }
        guard let library = libraries[String(decoding: words[1], as: UTF8.self)] else { return line }
        return Array(
            [Array(words[0]), Array(library.utf8), Array(words[2]), Array(words[3])].joined(separator: [blank]))
    }

    private func write(_ text: String, _ priority: String = "") {
        let bytes = Array("\(priority)\(name): \(text)\n".utf8)
        _ = Glibc.write(output, bytes, bytes.count)
    }

    /// Splits off the priority of a line as sd-daemon(3) has it, such as `<5>`. The highest one of a child is `<3>`, an
    /// error: the journal shows higher ones to everybody who is logged in.
    private static func priority(of line: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>) {
        guard line.count >= 3, line[0] == UInt8(ascii: "<"), line[2] == UInt8(ascii: ">"),
            UInt8(ascii: "0")...UInt8(ascii: "7") ~= line[1]
        else { return ("", line) }
        return ("<\(max(3, line[1] - UInt8(ascii: "0")))>", line.dropFirst(3))
    }

    private static func isFatal(_ line: [UInt8]) -> Bool {
        String(decoding: line, as: UTF8.self).contains("Fatal error:")
    }
}
