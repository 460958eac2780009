// DirectorySink: takes the entries of a request.

/// Takes the entries of a request, batch by batch.
protocol DirectorySink: AnyObject {
    /// Sends a batch; waits while too many are pending.
    /// - Parameter incremental: true if the entries are changes; the same for all batches of a request.
    /// - Returns: the error of the request, if the system has refused it by now.
    func send(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError?

    /// Tells what the directory leaves out of its sources.
    func leaveOut(_ count: UInt64, _ complaints: [String])

    /// Completes the request and waits until its entries are in force.
    /// - Returns: the error, if the request fails.
    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError?

    /// Cancels the request.
    func cancel(_ error: any Error)

    /// Closes the sink, after the request has ended and its handlers have been called.
    func close()
}

/// Discards all entries.
final class DiscardingSink: DirectorySink {
    func send(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? { nil }
    func leaveOut(_ count: UInt64, _ complaints: [String]) {}
    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? { nil }
    func cancel(_ error: any Error) {}
    func close() {}
}
