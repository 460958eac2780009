// Reading pieces of a file that may be anything: never blocks on a FIFO, never wakes a device.

internal import CDBus
internal import Glibc

/// A regular file, open for reading until the object is dropped.
public final class FileReader: Sendable {
    /// Of the file that was opened; the path may lead elsewhere by now.
    public let status: FileStatus
    private let descriptor: Int32

    /// Opens `path`, through symbolic links.
    ///
    /// - Throws: the failed call; `open` with `EINVAL` for anything but a regular file.
    public init(_ path: String) throws(SystemError) {
        // Opening a device can do things, so the path is looked at before; opened, it may be something else already.
        guard try FileStatus(path).kind == .regular else { throw SystemError(call: "open", code: EINVAL) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .last("open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, case let opened = FileStatus(status), opened.kind == .regular else {
            Glibc.close(descriptor)
            throw SystemError(call: "open", code: EINVAL)
        }
        self.status = opened
        self.descriptor = descriptor
    }

    deinit { Glibc.close(descriptor) }

    /// Up to `count` bytes from `offset` on; fewer if the file ends before.
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

    /// Closes a descriptor that somebody else handed over.
    public static func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }
}
