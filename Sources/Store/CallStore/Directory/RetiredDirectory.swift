// RetiredDirectory: a list that another has replaced, on its way out.

internal import CallDirectory
internal import EventLoop
internal import Synchronization

/// Holds on to a directory until a thread of the background lets go of it. Whoever lets go last unmaps it, and the system
/// frees the file that has no name any more: milliseconds, which the loop does not have.
final class RetiredDirectory: Sendable {
    private let directory: Mutex<CompiledDirectory?>

    init(_ directory: CompiledDirectory?) { self.directory = Mutex(directory) }

    /// To be called when nobody else holds on to the directory.
    func end(on thread: BackgroundThread?) {
        thread?.post { [self] in directory.withLock { $0 = nil } }
    }
}
