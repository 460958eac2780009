// StartUpMemory: what a process needed to start, and not since.

internal import CDBus

/// The pages of code and constants that this process has mapped.
public enum StartUpMemory {
    /// Lets go of them. What is used again comes back from the page cache, in well under a millisecond; the rest, most of
    /// what loading and starting has touched, is no longer counted against this process.
    public static func release() { ock_forget_code() }
}
