// DirectoryMain: what a directory's plugin does, from its entry point to its end.

internal import EventLoop

/// What the exported entry of a plugin with a call directory calls:
///
/// ```swift
/// @c(opencallkit_directory_main) public func main(_ link: CInt) -> CInt { DirectoryMain.run(link) { MyDirectory() } }
/// ```
///
/// A worker calls the entry for each request and ends after it. A plugin may have this entry beside
/// `opencallkit_plugin_main`, or alone. Not in CallKit.
public enum DirectoryMain {
    /// Runs one request, on a queue of its own; the main queue runs as well.
    /// - Parameters:
    ///   - link: what the entry was called with.
    ///   - directory: makes the object that brings the entries. It is kept until the request is over.
    /// - Returns: never, in fact: the process ends with the request.
    public static func run(_ link: CInt, directory: @escaping @Sendable () -> CXCallDirectoryProvider) -> CInt {
        let worker = DirectoryWorker(directory)
        Loop.shared.start()
        Loop.shared.post { worker.start(link) }
        dispatchMain()
    }
}
