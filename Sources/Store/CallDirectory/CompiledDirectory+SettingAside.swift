// What becomes of a file that cannot be trusted.

internal import Glibc

extension CompiledDirectory {
    /// Renames a damaged file, so that it can be looked into; one that was set aside before is replaced.
    /// - Returns: where it lies now.
    public static func setAside(_ path: String) throws(CompiledDirectoryError) -> String {
        let aside = path + ".corrupt"
        guard rename(path, aside) == 0 else { throw .last("rename \(path)") }
        return aside
    }

    /// Removes a file that is not needed any more, if there is one.
    public static func discard(_ path: String) {
        unlink(path)
    }
}
