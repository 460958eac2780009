// PluginStorage: the folders that a plugin may write to.

public import EventLoop
internal import Files
internal import Glibc

/// The folders of one plugin. They are made by the host, belong to the user alone, and outlive the worker. Everything
/// in them is the plugin's, so the host follows no links there.
public struct PluginStorage: Sendable, Hashable {
    /// What the plugin keeps; the plugin sees it as its home folder.
    public let state: String
    /// What the plugin can download or compute again.
    public let cache: String

    /// The temporary folder of a worker, empty at each start. Both parts of a plugin may run at the same time, so each
    /// has its own.
    public func temporary(_ part: PluginPart) -> String {
        switch part {
        case .provider: "\(cache)/tmp"
        case .directory: "\(cache)/tmp-directory"
        }
    }

    /// - Parameters:
    ///   - state: An absolute path.
    ///   - cache: An absolute path.
    public init(state: String, cache: String) {
        self.state = state
        self.cache = cache
    }

    /// The folders of a plugin in the user's folders.
    ///
    /// - Parameters:
    ///   - id: The id of a `PluginFile`; it has no slash and no dot.
    ///   - environment: The user's; see `BaseFolder`.
    /// - Returns: nil if the environment names no home.
    public init?(id: String, environment: [String: String]) {
        let roots = Self.roots(in: environment)
        guard roots.count == 2 else { return nil }
        self.init(state: "\(roots[0])/\(id)", cache: "\(roots[1])/\(id)")
    }

    /// The folders above those of all plugins: for `state`, then for `cache`. Empty if the environment names no home.
    public static func roots(in environment: [String: String]) -> [String] {
        guard let state = BaseFolder.state.path(in: environment), let cache = BaseFolder.cache.path(in: environment)
        else { return [] }
        return ["\(state)/opencallkit/plugins", "\(cache)/opencallkit/plugins"]
    }

    /// Makes the folders for a start of `part`, with a new temporary one. The old one is moved aside: emptying it could
    /// take long, and is the work of `removeLeftovers()`.
    ///
    /// - Throws: The failed call; `open` with `ENOTDIR` or `ELOOP` if there is a file or a symbolic link in place of a
    ///   folder, and with `EPERM` if one is another user's.
    public func prepare(for part: PluginPart) throws(SystemError) {
        for folder in [state, cache] {
            // The folders above it are ours as well, as far as that of all plugins.
            try FileWriter.makePrivateFolder(folder.deletingLastElement)
            try FileWriter.makePrivateFolder(folder)
        }
        let temporary = temporary(part)
        let aside = "\(cache)/\(Self.leftover)\(UInt64.random(in: 0 ... .max))"
        guard rename(temporary, aside) == 0 || errno == ENOENT else { throw .last("rename \(temporary)") }
        try FileWriter.makePrivateFolder(temporary)
    }

    /// Removes what earlier starts have moved aside, up to 64 folders. Blocks, as the disk does.
    public func removeLeftovers() {
        let names = (try? FolderListing.names(in: cache, limit: 64) { $0.hasPrefix(Self.leftover) }) ?? []
        for path in names.map({ "\(cache)/\($0)" }) {
            do throws(SystemError) {
                try FolderTree.remove(path)
            } catch {
                // The cache is the plugin's: it can be anything by now.
                try? FileWriter.remove(path)
            }
        }
    }

    /// How the names of folders that were moved aside begin.
    private static let leftover = "leftover-"

    /// Removes the folders and all that is in them.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    public func remove() throws(SystemError) -> Bool {
        let isThere = [state, cache].contains { (try? FileStatus($0, followingLinks: false)) != nil }
        try FolderTree.remove(state)
        try FolderTree.remove(cache)
        return isThere
    }

    /// Where the plugin finds its folders.
    func environment(for part: PluginPart) -> [String: String] {
        [
            "HOME": state, "CFFIXED_USER_HOME": state, "TMPDIR": temporary(part), "XDG_CACHE_HOME": cache,
            "XDG_CONFIG_HOME": "\(state)/.config", "XDG_DATA_HOME": "\(state)/.local/share",
            "XDG_STATE_HOME": "\(state)/.local/state",
        ]
    }
}

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
