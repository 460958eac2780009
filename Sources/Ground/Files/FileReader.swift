// FileReader: reads parts of a regular file. It never blocks on a FIFO and never opens a device.

public import EventLoop
internal import Glibc

/// A regular file that is open for reading as long as this object lives.
public final class FileReader: Sendable {
    /// The status of the file when it was opened.
    public let status: FileStatus
    /// The open file; closed with this object.
    public let descriptor: Int32

    /// Opens `path`.
    ///
    /// - Parameter followingLinks: Whether `path` itself may be a symbolic link.
    /// - Throws: the failed call; `SystemError.notRegular` if it is not a regular file.
    public init(_ path: String, followingLinks: Bool = true) throws(SystemError) {
        // Opening a device can have effects, so the path is checked first. It may have changed when it is opened.
        guard try FileStatus(path, followingLinks: followingLinks).kind == .regular else {
            throw .notRegular()
        }
        let links = followingLinks ? 0 : O_NOFOLLOW
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | links)
        guard descriptor >= 0 else { throw .last("open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, case let opened = FileStatus(status), opened.kind == .regular else {
            close(descriptor)
            throw .notRegular()
        }
        self.status = opened
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Returns up to `count` bytes from `offset` on, fewer at the end of the file.
    public func bytes(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
        guard let start = off_t(exactly: offset), count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let (position, overflow) = start.addingReportingOverflow(off_t(filled))
            if overflow { break }
            let length = bytes.withUnsafeMutableBytes { buffer in
                pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).baseAddress, count - filled,
                    position)
            }
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else { throw .last("pread") }
            if length == 0 { break }
            filled += length
        }
        return Array(bytes.prefix(filled))
    }

    /// The status of the open file now, wherever it lies.
    public func currentStatus() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last("fstat") }
        return FileStatus(status)
    }

    /// Feeds the whole file to a hasher.
    public func combine(into hasher: inout Hasher) throws(SystemError) {
        var offset: UInt64 = 0
        while case let bytes = try bytes(at: offset, count: 1 << 20), !bytes.isEmpty {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
            offset += UInt64(bytes.count)
        }
        hasher.combine(offset)
    }
}
