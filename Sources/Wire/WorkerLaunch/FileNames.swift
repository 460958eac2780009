// File names taken apart as the kernel does it, byte by byte. To Swift, a slash with a combining mark behind it is
// another letter than a slash.

extension String {
    /// The folder of this absolute file name.
    public var deletingLastElement: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")), slash != utf8.startIndex else { return "/" }
        return String(Substring(utf8[..<slash]))
    }

    /// What stands behind the last slash.
    var lastElement: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return String(Substring(utf8[utf8.index(after: slash)...]))
    }

    /// Whether this is `folder` or a name below it. Both are absolute.
    func isIn(_ folder: String) -> Bool {
        if folder == "/" { return true }
        guard utf8.starts(with: folder.utf8) else { return false }
        let rest = utf8.dropFirst(folder.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    /// Whether an element of this file name is `..`.
    var climbs: Bool {
        utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }
}
