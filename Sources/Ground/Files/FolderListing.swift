// FolderListing: the names in a folder, sorted and limited.

public import EventLoop
internal import Glibc

public enum FolderListing {
    /// The most entries of a folder that are read.
    public static let maximumEntries = 65_536

    /// Returns the first `limit` names in `path` for which `isWanted` is true, sorted by their UTF-8.
    public static func names(
        in path: String, limit: Int, where isWanted: (String) -> Bool
    ) throws(SystemError) -> [String] {
        guard !path.utf8.contains(0) else { throw SystemError(call: "opendir", code: EINVAL) }
        guard let folder = opendir(path) else { throw .last("opendir") }
        defer { closedir(folder) }
        var names: [String] = []
        var seen = 0
        while seen < maximumEntries, let entry = readdir(folder) {
            seen += 1
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", isWanted(name) else { continue }
            names.append(name)
            // Keeps at most twice the limit, however many names there are.
            if names.count >= 2 * limit { names = first(limit, of: names) }
        }
        return first(limit, of: names)
    }

    private static func first(_ limit: Int, of names: [String]) -> [String] {
        Array(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
    }
}
