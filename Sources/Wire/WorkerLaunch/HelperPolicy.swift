// HelperPolicy: the sandboxes of callkit-store and callkit-contacts.

public import CallModel

/// The sandbox of a program that reads files from others, as lines for CSandbox. It limits what a malicious file that
/// exploits the program can do.
public struct HelperPolicy: Sendable, Hashable {
    public let text: [UInt8]

    /// The sandbox of a program that only reads some folders. It has no network, starts no programs and writes no
    /// files.
    ///
    /// - Parameters:
    ///   - folders: The folders that it reads, as absolute paths. Folders that do not exist are left out.
    ///   - kernel: The kernel features that tests switch off.
    /// - Throws: `NotSupported` for a path with a tab or a line feed.
    public static func reader(
        of folders: [String], kernel: SimulatedKernel = SimulatedKernel()
    ) throws(CallError) -> HelperPolicy {
        var lines = PolicyLines()
        try lines.add("demand", SandboxLevel.syscalls.rawValue)
        try lines.add(kernel)
        for folder in folders { try lines.add("read", folder) }
        return HelperPolicy(text: lines.text)
    }

    /// The sandbox of a program that reads all that the user can read, writes to some folders only, has no sockets, and
    /// starts workers that confine themselves.
    ///
    /// - Parameters:
    ///   - folders: The folders that it writes to, as absolute paths.
    ///   - exceptions: Folders in them that it does not write to, at the level `full`.
    ///   - kernel: The kernel features that tests switch off.
    /// - Throws: `NotSupported` for a path with a tab or a line feed.
    public static func writer(
        of folders: [String], except exceptions: [String] = [], kernel: SimulatedKernel = SimulatedKernel()
    ) throws(CallError) -> HelperPolicy {
        var lines = PolicyLines()
        try lines.add("demand", SandboxLevel.syscalls.rawValue)
        try lines.add("keep-children")
        try lines.add(kernel)
        for folder in folders { try lines.add("write", folder) }
        for folder in exceptions { try lines.add("read", folder) }
        return HelperPolicy(text: lines.text)
    }
}
