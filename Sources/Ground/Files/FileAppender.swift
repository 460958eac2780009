// FileAppender: writes at the end of a file, a pipe or an inherited descriptor.

public import EventLoop
internal import Glibc

/// Appends text to a file or a pipe, without a buffer.
public final class FileAppender {
    private let descriptor: Int32
    /// How long a write waits for the reader of a full pipe.
    private static let readerTimeout = Duration.milliseconds(250)
    /// A writable pipe takes this many bytes without blocking.
    private static let portion = Int(PIPE_BUF)

    /// Opens a new file for the user alone, an empty one, a named pipe, or `/dev/fd/N`.
    ///
    /// - Throws: if `path` is a symbolic link, or a file that is not empty.
    public init(_ path: String) throws(SystemError) {
        signal(SIGPIPE, SIG_IGN)
        if path.hasPrefix("/dev/fd/"), let number = Int32(path.dropFirst(8)) {
            descriptor = fcntl(number, F_DUPFD_CLOEXEC, 3)
        } else {
            descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0o600)
        }
        guard descriptor >= 0 else {
            throw errno == ELOOP
                ? SystemError(call: "\(path) is a link", code: ELOOP) : SystemError(call: "open \(path)", code: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG || status.st_size == 0 else {
            close(descriptor)
            throw SystemError(call: "\(path) is not empty", code: EEXIST)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Writes all of `text`. If it throws, a part may have been written.
    public func append(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let found = poll(&ready, 1, Int32(clamping: Self.readerTimeout.milliseconds))
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { throw SystemError(call: "write", code: found == 0 ? ETIMEDOUT : errno) }
            let end = min(written + Self.portion, bytes.count)
            let count = bytes[written..<end].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { throw SystemError(call: "write", code: count == 0 ? ENOSPC : errno) }
            written += count
        }
    }
}
