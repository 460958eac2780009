// StoreFolder: the folder of all files, which may get out of reach.

internal import EventLoop
public import Files

/// Notices that the store writes to a folder in vain: its sandbox has the folder that was there when the process began,
/// and a process that begins now would have another. The rows that callkitd got no reply for are sent to the next
/// store.
public final class StoreFolder: Sendable {
    public let path: String
    private let held: HeldFolder?
    private let start = MonotonicTime.now
    private let end: @Sendable (String) -> Void

    /// How long a process keeps trying a folder that it cannot have.
    private static let folderTimeout = Duration.seconds(10)

    /// - Parameters:
    ///   - held: the folder of the sandbox.
    ///   - end: ends the process, for the reason that it gets. Called on any thread.
    public init(_ held: HeldFolder, end: @escaping @Sendable (String) -> Void) {
        path = held.path
        self.held = held
        self.end = end
    }

    /// A folder of a process without a sandbox.
    public init(_ path: String) {
        self.path = path
        held = nil
        end = { _ in }
    }

    /// Something could not be written. May block, as the disk does.
    func failed() {
        switch held?.change {
        case nil, .some(.none): break
        case .replaced: end("its folder was replaced")
        case .unusable:
            if MonotonicTime.now.duration(since: start) > Self.folderTimeout { end("its folder could not be had") }
        }
    }
}
