// FileVersion: which file, and in which state, one process can tell another.

internal import Glibc

/// Names a file and its state by numbers that every process sees alike, whatever user ids it sees. Equal values mean
/// the same file, unchanged as far as the kernel reports.
public struct FileVersion: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    /// In bytes.
    public let size: UInt64
    /// When its contents changed last, in nanoseconds since 1970.
    public let modified: Int64
    /// When its contents, names or permissions changed last, in nanoseconds since 1970. No program can set this.
    public let changed: Int64

    public init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: stat) {
        func nanoseconds(_ time: timespec) -> Int64 {
            // A file system may have any time; beyond the year 2262 it wraps, which is as good to compare.
            Int64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ Int64(truncatingIfNeeded: time.tv_nsec)
        }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: UInt64(clamping: status.st_size),
            modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    }
}
