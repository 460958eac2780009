// Sets a damaged file aside.

internal import Glibc

extension CompiledDirectory {
    /// Renames a damaged file, for inspection, and replaces an earlier one.
    /// - Returns: the new path.
    public static func setAside(_ path: String) throws(CompiledDirectoryError) -> String {
        let aside = path + ".corrupt"
        guard rename(path, aside) == 0 else { throw .last("rename \(path)") }
        return aside
    }

    /// Removes a file, if it exists.
    public static func discard(_ path: String) { unlink(path) }
}
