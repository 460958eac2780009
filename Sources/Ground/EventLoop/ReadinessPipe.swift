// ReadinessPipe: hears when a child is ready, and ends children that watch its other end.

internal import Glibc

/// A pipe whose writing end a child gets. The child writes a byte when it is ready, and ends when the reading end,
/// which is this object, is gone: also if this process ends without a word.
@LoopActor
public final class ReadinessPipe {
    /// The end for the child; -1 once it is closed here.
    public private(set) var writingEnd: Int32
    private let readingEnd: Int32
    private var watch: FileWatch?
    private var onReady: (@LoopActor () -> Void)?

    /// - Parameter onReady: called once, when the child is ready. A child that ends before that is not.
    public init(onReady: @escaping @LoopActor () -> Void) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last("pipe") }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        self.onReady = onReady
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK)
        watch = try FileWatch(readingEnd, .readable) { [weak self] _ in self?.readByte() }
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

    private func readByte() {
        var byte: UInt8 = 0
        let count = read(readingEnd, &byte, 1)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        watch?.cancel()
        watch = nil
        let onReady = onReady
        self.onReady = nil
        if count == 1 { onReady?() }
    }
}
