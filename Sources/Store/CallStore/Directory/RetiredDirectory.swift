// RetiredDirectory: a directory that another has replaced.

internal import CallDirectory
internal import EventLoop
internal import Synchronization

/// Keeps a directory until a background thread releases it. The last release unmaps the file and lets the system free it,
/// which takes milliseconds that the loop does not have.
final class RetiredDirectory: Sendable {
    private let directory: Mutex<CompiledDirectory?>

    init(_ directory: CompiledDirectory?) { self.directory = Mutex(directory) }

    /// Releases the directory. Call this when nothing else refers to it.
    func end(on thread: BackgroundThread?) {
        thread?.post { [self] in directory.withLock { $0 = nil } }
    }
}
