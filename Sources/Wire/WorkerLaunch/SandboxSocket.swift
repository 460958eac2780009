// SandboxSocket: a Unix socket that a sandboxed plugin reaches.

/// A Unix socket by its folder and its name there. The folder is made visible, not the socket: a server that is started
/// anew makes a new one.
public struct SandboxSocket: Sendable, Hashable {
    /// An absolute file name.
    public let folder: String
    /// The name of the socket in the folder.
    public let name: String

    public init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// - Returns: nil unless `path` is an absolute file name below a folder.
    public init?(path: String) {
        let (folder, name) = (path.deletingLastElement, path.lastElement)
        guard path.utf8.first == UInt8(ascii: "/"), folder != "/", !name.isEmpty else { return nil }
        self.init(folder: folder, name: name)
    }

    /// Where the socket lies outside the sandbox.
    public var path: String { "\(folder)/\(name)" }
}
