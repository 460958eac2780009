// HelperPolicy: what the programs that callkitd starts besides workers confine themselves to.

public import CallModel

/// The sandbox of one of our own programs, as lines for CSandbox. These programs read what others write: they are
/// confined so that a file that takes one over has won nothing.
public struct HelperPolicy: Sendable, Hashable {
    public let text: [UInt8]

    /// The sandbox of a program that reads files and tells of them on its link, without network, programs and writing.
    ///
    /// - Parameters:
    ///   - folders: What it reads, by absolute names. Folders that do not exist are left out.
    /// - Throws: `NotSupported` for a name with a tab or a line feed.
    public static func reader(
        of folders: [String], pretences: SandboxPretences = SandboxPretences()
    ) throws(CallError) -> HelperPolicy {
        var lines = PolicyLines()
        try lines.add("demand", SandboxLevel.syscalls.rawValue)
        try lines.add(pretences)
        for folder in folders { try lines.add("read", folder) }
        return HelperPolicy(text: lines.text)
    }

    /// The sandbox of a program that reads anything, writes to some folders alone, has no sockets, and starts workers
    /// that confine themselves.
    ///
    /// - Parameters:
    ///   - folders: What it writes to, by absolute names.
    ///   - exceptions: What lies in these folders and it does not write to, where there are namespaces.
    /// - Throws: `NotSupported` for a name with a tab or a line feed.
    public static func keeper(
        of folders: [String], except exceptions: [String] = [], pretences: SandboxPretences = SandboxPretences()
    ) throws(CallError) -> HelperPolicy {
        var lines = PolicyLines()
        try lines.add("demand", SandboxLevel.syscalls.rawValue)
        try lines.add("keep-children")
        try lines.add(pretences)
        for folder in folders { try lines.add("write", folder) }
        for folder in exceptions { try lines.add("read", folder) }
        return HelperPolicy(text: lines.text)
    }
}
