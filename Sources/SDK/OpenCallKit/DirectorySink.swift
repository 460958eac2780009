// DirectorySink: where the entries of a request go.

/// Takes what a request brings, batch by batch.
protocol DirectorySink: AnyObject {
    /// Waits while too much is under way.
    /// - Parameter incremental: whether the entries are changes; the same in each call for one request.
    /// - Returns: why the system refuses the request, as far as it has said so by now.
    func take(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError?

    /// All was taken: waits until it is in force.
    /// - Returns: why it is not.
    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError?

    /// The request is given up.
    func cancel(_ error: any Error)

    /// The request is over and its handlers have been called.
    func close()
}

/// Throws everything away.
final class RehearsalSink: DirectorySink {
    func take(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? { nil }
    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? { nil }
    func cancel(_ error: any Error) {}
    func close() {}
}
