// The names in a folder, sorted and bounded.

internal import CDBus
internal import Glibc

public enum FolderListing {
    /// However many entries a folder has, no more are looked at.
    public static let maximumEntries = 65_536

    /// The first `limit` names, in the order of their UTF-8, of those in `path` that pass the test.
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
            // Twice the limit at most is kept, whatever the folder holds.
            if names.count >= 2 * limit { names = first(limit, of: names) }
        }
        return first(limit, of: names)
    }

    private static func first(_ limit: Int, of names: [String]) -> [String] {
        Array(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
    }
}
