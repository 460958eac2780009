// JournalPriority: the form of a line that the journal of systemd reads, see sd-daemon(3).

internal import Synchronization

/// A priority of syslog. The journal removes the prefix `<N>` of a line and stores the line with that priority.
enum JournalPriority: Int {
    case critical = 2
    case error, warning, notice, info, debug

    /// Returns a text with the prefix before each line, so that no line of a message can claim another priority.
    func lines(of text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0.isNewline || $0 == "\0" }
            .map { "<\(rawValue)>\($0)\n" }.joined()
    }
}

/// Standard error, on which one message is written after another.
enum StandardError {
    private static let turn = Mutex(())

    /// Writes a text. An error is ignored: there is no place to report it.
    static func write(_ text: String) {
        turn.withLock { _ in try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
    }
}
