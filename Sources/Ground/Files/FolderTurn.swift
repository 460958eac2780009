// FolderTurn: lets the sessions of a user change the files of a folder one after the other.

internal import CSystem
public import EventLoop
internal import Glibc

/// A lock of the folder itself, which leaves no file behind and ends with the process.
public enum FolderTurn {
    /// Does something while no other session does something in the folder.
    ///
    /// - Parameter timeout: how long to wait for others. After that it is done all the same: who may read the folder can lock it
    ///   for ever.
    public static func take<Value>(
        in folder: String, within timeout: Duration, _ body: () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(folder)") }
        defer { close(descriptor) }
        let end = MonotonicTime.now.advanced(by: timeout)
        // Some file systems of networks have no such locks.
        while ock_lock_folder(descriptor) != 0, [EINTR, EWOULDBLOCK].contains(errno), MonotonicTime.now < end {
            usleep(1_000)
        }
        return try body()
    }
}
