// SandboxSocket: a Unix socket that a sandboxed plugin reaches.

internal import Files

/// A Unix socket, by its folder and its name there. The sandbox shows the folder, not the socket file, because a server
/// that restarts makes a new file.
public struct SandboxSocket: Sendable, Hashable {
    /// The folder's absolute path.
    public let folder: String
    /// The name of the socket in the folder.
    public let name: String

    public init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    /// - Returns: nil unless `path` is an absolute path of at least two elements.
    public init?(path: String) {
        let (folder, name) = (path.deletingLastElement, path.lastElement)
        guard path.utf8.first == UInt8(ascii: "/"), folder != "/", !name.isEmpty else { return nil }
        self.init(folder: folder, name: name)
    }

    /// Where the socket lies outside the sandbox.
    public var path: String { "\(folder)/\(name)" }
}
