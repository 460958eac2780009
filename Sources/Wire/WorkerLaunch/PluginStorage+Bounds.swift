// The bounds of the folders of a plugin.

internal import Files

extension PluginStorage {
    /// The disk space of the folders, in bytes.
    static let maximumBytes: UInt64 = 256 << 20
    /// Files and folders in them.
    static let maximumFiles = 20_000

    /// Measures the folders. Blocks, as the disk does.
    ///
    /// - Parameter id: The plugin's.
    /// - Returns: The bound that the folders exceed, as the end of a sentence about the plugin; nil if there is none.
    public func excess(of id: String) -> String? {
        let sizes = [state, cache].map { (try? FolderTree.size(of: $0, limit: Self.maximumFiles)) ?? FolderTree.Size() }
        return Self.excess(of: id, sizes)
    }

    static func excess(of id: String, _ folders: [FolderTree.Size]) -> String? {
        let remedy = "; callctl plugins forget \(id) removes them"
        let bytes = folders.reduce(0) { $0 + $1.bytes }
        if bytes > maximumBytes {
            return "has \(bytes >> 20) MiB in its folders, at most \(maximumBytes >> 20) MiB are allowed\(remedy)"
        }
        guard folders.contains(where: \.isBeyondLimit) || folders.reduce(0, { $0 + $1.entries }) > maximumFiles else {
            return nil
        }
        return "has more than \(maximumFiles) files in its folders, or deeper folders than "
            + "\(FolderTree.maximumDepth)\(remedy)"
    }
}
