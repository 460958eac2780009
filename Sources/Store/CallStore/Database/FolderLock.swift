// FolderLock: tells the stores that use a folder of each other.

internal import EventLoop
internal import Files
internal import Glibc
internal import Synchronization

/// A lock that the stores of a user's sessions share. Who opens the database has it alone meanwhile, or shares it from the
/// beginning.
///
/// Machines that have a folder in common over a network cannot share the database: there, one store has the lock as long as it
/// lives.
final class FolderLock: Sendable {
    private let path: String
    private let lock = Mutex<SharedLock?>(nil)
    /// How long to wait for a store that has the lock alone, which it has while it opens the database.
    private static let timeout = Duration.seconds(2)

    init(folder: String) { path = Self.path(in: folder) }

    /// The file, which is touched after each change of a database that others have, too.
    static func path(in folder: String) -> String { folder + "/store.lock" }

    /// Takes the lock, alone if nobody else has it.
    ///
    /// - Returns: whether nobody else has it.
    /// - Throws: `unavailable` if a store on another machine may have it, or if another one does not let go of it.
    func acquire() throws(StorageFailure) -> Bool {
        try lock.withLock { (kept: inout SharedLock?) throws(StorageFailure) in
            do throws(SystemError) {
                // A folder that was deleted and made again has a different file to lock.
                let lock = if let kept, kept.isInPlace { kept } else { try SharedLock(path) }
                kept = lock
                if lock.takeAlone() { return true }
                guard !lock.isRemote else { throw SystemError(call: "lock", code: EREMOTE) }
                try lock.share(within: Self.timeout)
                return false
            } catch {
                switch error.code {
                case EREMOTE:
                    throw .unavailable(
                        "a session of this user on another machine has the recents, which are in a folder on a network")
                case EAGAIN, EACCES:
                    throw .unavailable("another session of this user opens the recents, and does not come to an end")
                default: throw StorageFailure(error)
                }
            }
        }
    }

    /// Lets others have the lock, too.
    func share() { lock.withLock { if let lock = $0, !lock.isRemote { try? lock.share() } } }

    /// Whether no other store has the lock now.
    var isAlone: Bool { lock.withLock { $0?.isAlone ?? false } }

    /// Tells the others, who watch the file, that the database has changed. Who comes later reads the change.
    func touch() { lock.withLock { if let lock = $0, !lock.isAlone { lock.touch() } } }
}
