// FolderLock: lets one store at a time use a folder.

internal import EventLoop
internal import Files
internal import Glibc
internal import Synchronization

/// A lock that the system releases when the process ends, however it ends. The next store starts after the last write of the
/// previous one.
final class FolderLock: Sendable {
    private let folder: String
    private let path: String
    private let descriptor = Mutex<Int32>(-1)

    init(folder: String) {
        self.folder = folder
        path = folder + "/store.lock"
    }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        guard descriptor >= 0 else { return }
        // A child that is being started shares the descriptor until it runs its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// - Throws: `unavailable` if another process has the lock.
    func acquire() throws(StorageFailure) {
        let (path, folder) = (path, folder)
        try descriptor.withLock { (descriptor: inout Int32) throws(StorageFailure) in
            // A folder that was deleted and made again has a different file to lock.
            if descriptor >= 0, Self.isOpen(descriptor, path) { return }
            if descriptor >= 0 { close(descriptor) }
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                throw StorageFailure(SystemError(call: "open \(path)", code: errno))
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                descriptor = -1
                throw code == EWOULDBLOCK
                    ? .unavailable(
                        "another session of this user has the recents; calls of this session are kept in "
                            + "\(folder)/\(LeftCalls.folderName), and join them when one of the sessions ends")
                    : StorageFailure(SystemError(call: "flock \(path)", code: code))
            }
        }
    }

    private static func isOpen(_ descriptor: Int32, _ path: String) -> Bool {
        guard let mine = FileIdentity(descriptor: descriptor) else { return false }
        return mine == FileIdentity(path)
    }
}
