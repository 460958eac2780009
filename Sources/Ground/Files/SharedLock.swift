// SharedLock: a lock on a file that several processes have at a time, or one alone.

internal import CSystem
public import EventLoop
internal import Glibc

/// The lock ends with the process, however that ends, and when this is dropped. A process can give up having it alone without
/// losing it.
public final class SharedLock: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens the file, or makes it; it is not locked yet.
    public init(_ path: String) throws(SystemError) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .last("open \(path)") }
    }

    deinit { close(descriptor) }

    /// Whether the path still names this file.
    public var isInPlace: Bool { FileIdentity(descriptor: descriptor).map { $0 == FileIdentity(path) } ?? false }

    /// Whether processes on other machines may have the file, too.
    public var isRemote: Bool { ock_is_file_remote(descriptor) != 0 }

    /// Whether no other process has the lock.
    public var isAlone: Bool { ock_can_lock_file(descriptor, Int32(F_WRLCK), Int32(F_UNLCK)) != 0 }

    /// Takes the lock, unless another process has it.
    public func takeAlone() -> Bool { ock_lock_file(descriptor, Int32(F_WRLCK)) == 0 }

    /// Takes the lock with others, or lets others have it.
    ///
    /// - Parameter timeout: how long to wait for another process that has it alone.
    public func share(within timeout: Duration = .zero) throws(SystemError) {
        // Never as the kernel waits, without an end: the other one may hang.
        let end = MonotonicTime.now.advanced(by: timeout)
        while ock_lock_file(descriptor, Int32(F_RDLCK)) != 0 {
            guard [EINTR, EAGAIN, EACCES].contains(errno), MonotonicTime.now < end else { throw .last("lock \(path)") }
            usleep(1_000)
        }
    }

    /// Lets those know who watch the file.
    public func touch() {
        let other = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        if other >= 0 { close(other) }
    }
}
