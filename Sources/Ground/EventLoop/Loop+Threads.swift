// Which thread is which.

internal import CSystem

extension Loop {
    /// Whether the caller is on the thread that the process began with.
    public static var isMainThread: Bool { ock_is_main_thread() != 0 }
}
