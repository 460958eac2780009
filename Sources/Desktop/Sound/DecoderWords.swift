// DecoderWords: what the libraries that decode sounds write to standard error.

internal import EventLoop
internal import Glibc

/// Keeps their words out of the log. libmpg123 complains of each damaged part of a file, as often as it is played, and
/// libsndfile does not tell.
@LoopActor
enum DecoderWords {
    /// Where the words go instead; nil if there are no descriptors left.
    private static let pipe: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // When it is full, words are lost.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()
    /// In bytes.
    private static let portion = 4_096
    private static let standardError = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)

    /// Does `work`, and returns whether a library has said anything.
    static func appear(during work: () -> Void) -> Bool {
        guard let pipe, standardError >= 0, dup2(pipe.writing, STDERR_FILENO) >= 0 else {
            work()
            return false
        }
        work()
        dup2(standardError, STDERR_FILENO)
        var words = [UInt8](repeating: 0, count: portion)
        var hasWords = false
        while read(pipe.reading, &words, portion) > 0 { hasWords = true }
        return hasWords
    }
}
