// DirectoryMain: runs a call directory from its entry point to its end.

internal import EventLoop

/// Runs a call directory; called by the plugin's exported entry:
///
/// ```swift
/// @c(opencallkit_directory_main) public func main(_ link: CInt) -> CInt { DirectoryMain.run(link) { MyDirectory() } }
/// ```
///
/// A worker calls the entry for one request and then exits. A plugin may have this entry beside
/// `opencallkit_plugin_main`, or alone. Not in CallKit.
public enum DirectoryMain {
    /// Runs one request, on a queue of its own; the main queue runs as well.
    /// - Parameters:
    ///   - link: the argument of the entry.
    ///   - directory: creates the object that supplies the entries. The object is kept until the request ends.
    /// - Returns: never returns: the process exits with the request.
    public static func run(_ link: CInt, directory: @escaping @Sendable () -> CXCallDirectoryProvider) -> CInt {
        let worker = DirectoryWorker(directory)
        Loop.shared.start()
        Loop.shared.post { worker.start(link) }
        dispatchMain()
    }
}
