// Paths taken apart as the kernel does it, byte by byte. To Swift, a slash that a combining mark follows is another
// character than a slash.

internal import EventLoop

extension String {
    /// The folder of this absolute path: `/a` of `/a/b`.
    public var deletingLastElement: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != utf8.startIndex else { return "/" }
        return String(Substring(utf8[..<slash]))
    }

    /// The part of this path after its last slash: `b` of `/a/b`.
    public var lastElement: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return String(Substring(utf8[utf8.index(after: slash)...]))
    }

    /// Whether this path is `folder` or below it. Both are absolute and plain.
    public func isIn(_ folder: String) -> Bool {
        if folder == "/" { return true }
        guard utf8.starts(with: folder.utf8) else { return false }
        let rest = utf8.dropFirst(folder.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    /// Whether an element of this path is `..`.
    var climbs: Bool {
        utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }

    /// This absolute path without empty elements and `.`. A path with `..` is resolved on the disk, since `..` may
    /// follow a symbolic link.
    ///
    /// - Returns: nil for a relative path, and for one with `..` that does not exist.
    public var plainPath: String? {
        guard utf8.first == UInt8(ascii: "/") else { return nil }
        if climbs { return try? FileStatus.resolve(self) }
        let elements = utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        return "/" + elements.map { String(Substring($0)) }.joined(separator: "/")
    }
}
