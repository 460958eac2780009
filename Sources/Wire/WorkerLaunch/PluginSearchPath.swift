// PluginSearchPath: the folders in which plugins are looked for, in order.

internal import CallModel
public import EventLoop
internal import Files

/// The folders that are searched, first to last. They need not exist.
public struct PluginSearchPath: Sendable {
    /// Of one folder no more plugins are looked at than this, in the order of their names.
    public static let maximumPluginsPerFolder = 256

    public let folders: [String]
    /// The user's own folder among them; nil if there is no home.
    public let userFolder: String?
    /// The user's folder and those of `XDG_DATA_DIRS`, without those that `first` or `OPENCALLKIT_PLUGIN_PATH` names.
    private let sharedFolders: Set<String>

    /// - Parameters:
    ///   - first: Folders that come before all others.
    ///   - environment: The user's; it reads `OPENCALLKIT_PLUGIN_PATH` and what `BaseFolder` reads.
    ///   - executableFolder: The daemon's, `<prefix>/bin`; `<prefix>/lib/opencallkit/plugins` comes last.
    public init(first: [String] = [], environment: [String: String], executableFolder: String) {
        let named =
            first.filter { !$0.isEmpty }
            + (environment["OPENCALLKIT_PLUGIN_PATH"] ?? "").split(separator: ":").map(String.init)
        func plugins(in folder: String) -> String { "\(folder == "/" ? "" : folder)/opencallkit/plugins" }
        let own = BaseFolder.data.path(in: environment).map(plugins)
        let shared = [own].compactMap { $0 } + BaseFolder.systemData(in: environment).map(plugins)
        userFolder = own
        sharedFolders = Set(shared).subtracting(named.map(\.withoutTrailingSlashes))
        let prefix = executableFolder.withoutTrailingSlashes.deletingLastElement
        var seen: Set<String> = []
        folders =
            (named.map(\.withoutTrailingSlashes) + shared + ["\(prefix == "/" ? "" : prefix)/lib/opencallkit/plugins"])
            .filter { seen.insert($0).inserted }
    }

    /// Whether the plugins in a folder count as packaged: somebody has installed them. Those in the user's own folder
    /// do not, nor do those in a folder of `XDG_DATA_DIRS` that does not belong to root.
    public func isPackaged(in folder: String) -> Bool {
        // Bytes, as the kernel does.
        if let userFolder, folder.utf8.elementsEqual(userFolder.utf8) { return false }
        guard sharedFolders.contains(folder) else { return true }
        return (try? FileStatus(folder))?.owner == 0
    }

    /// Every plugin once: of several with one id the first counts, be it usable or not, and in a folder the bundle. In the
    /// order of the folders and, in each, of the names. Reads from the disk; missing folders are passed over.
    ///
    /// - Parameter unread: gets the folders that are there and could not be read, by their absolute names.
    public func scan(user: UInt32? = nil, unread: inout [String: SystemError]) -> [PluginCandidate] {
        survey(user: user, unread: &unread).filter {
            if case .shadowed = $0 { false } else { true }
        }
    }

    /// All that `scan` finds, and what is shadowed as well.
    public func survey(user: UInt32? = nil, unread: inout [String: SystemError]) -> [PluginCandidate] {
        let user = user ?? FileStatus.currentUser
        var winners: [String: String] = [:]
        var candidates: [PluginCandidate] = []
        for folder in folders {
            var folder = folder
            let limit = Self.maximumPluginsPerFolder
            var names: [String] = []
            do throws(SystemError) {
                if !folder.hasPrefix("/") { folder = try FileStatus.resolve(folder) }
                names = try FolderListing.names(in: folder, limit: limit + 1) { PluginName($0) != nil }
            } catch {
                if !error.isMissing { unread[folder] = error }
            }
            func place(of fileName: String) -> String { folder == "/" ? "/\(fileName)" : "\(folder)/\(fileName)" }
            let bundles = Dictionary(
                names.compactMap { name in PluginName(name).flatMap { $0.isBundle ? ($0.id, name) : nil } }
            ) { first, _ in first }
            for (index, fileName) in names.enumerated() {
                guard let name = PluginName(fileName) else { continue }
                let path = place(of: fileName)
                // A library alone may use nothing: one that was dropped beside a bundle takes nothing away.
                if !name.isBundle, let bundle = bundles[name.id], winners[name.id] == nil {
                    candidates.append(.shadowed(id: name.id, path: path, by: place(of: bundle)))
                    continue
                }
                if let winner = winners[name.id] {
                    candidates.append(.shadowed(id: name.id, path: path, by: winner))
                    continue
                }
                winners[name.id] = path
                if index == limit {
                    candidates.append(.rejected(id: name.id, path: path, .tooMany(limit: limit)))
                    continue
                }
                do throws(PluginFileError) {
                    let version = Contract.protocolVersion
                    let file = try PluginFile(name, at: path, in: folder, protocolVersion: version, user: user)
                    candidates.append(.usable(file))
                } catch {
                    candidates.append(.rejected(id: name.id, path: path, error))
                }
            }
        }
        return candidates
    }
}

extension String {
    fileprivate var withoutTrailingSlashes: String {
        var text = self[...]
        while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
        return String(text)
    }
}
