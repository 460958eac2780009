// Where the folders that permissions name are for one user.

internal import CallModel
internal import Files

extension PermissionPath.Folder {
    /// The folder's absolute path, by the XDG specifications. It need not exist.
    ///
    /// - Returns: nil if the environment names no home.
    func path(in environment: [String: String]) -> String? {
        switch self {
        case .home: BaseFolder.home(in: environment)
        case .config: BaseFolder.config.path(in: environment)
        case .data: BaseFolder.data.path(in: environment)
        default: userDirectory.flatMap { Self.path(of: $0, in: environment) }
        }
    }

    /// The variable by which a sandboxed plugin finds the folder, because its own folders replace the user's.
    ///
    /// - Parameter path: The folder's absolute path.
    func variable(for path: String, in environment: [String: String]) -> (name: String, value: String)? {
        func list(_ others: [String]) -> String { ([path] + others).joined(separator: ":") }
        return switch self {
        case .home: ("OPENCALLKIT_USER_HOME", path)
        case .config: ("XDG_CONFIG_DIRS", list(BaseFolder.systemConfig(in: environment)))
        case .data: ("XDG_DATA_DIRS", list(BaseFolder.systemData(in: environment)))
        default: userDirectory.map { ($0.key, path) }
        }
    }

    /// A folder of xdg-user-dirs: its key in `user-dirs.dirs`, and its name in the home folder by default.
    private typealias UserDirectory = (key: String, name: String)

    private var userDirectory: UserDirectory? {
        switch self {
        case .home, .config, .data: nil
        case .desktop: ("XDG_DESKTOP_DIR", "Desktop")
        case .documents: ("XDG_DOCUMENTS_DIR", "Documents")
        case .download: ("XDG_DOWNLOAD_DIR", "Downloads")
        case .music: ("XDG_MUSIC_DIR", "Music")
        case .pictures: ("XDG_PICTURES_DIR", "Pictures")
        case .videos: ("XDG_VIDEOS_DIR", "Videos")
        }
    }

    /// The path that a line such as `XDG_MUSIC_DIR="$HOME/Musik"` in `user-dirs.dirs` gives, or else the default.
    private static func path(of directory: UserDirectory, in environment: [String: String]) -> String? {
        guard let home = BaseFolder.home(in: environment) else { return nil }
        let usual = "\(home)/\(directory.name)"
        guard let config = BaseFolder.config.path(in: environment),
            let text = try? ConfigurationText.read("\(config)/user-dirs.dirs"),
            var value = text.entries.last(where: { $0.key == directory.key })?.value
        else { return usual }
        if value.hasPrefix("\""), value.hasSuffix("\""), value.utf8.count >= 2 {
            value = String(value.dropFirst().dropLast())
        }
        if value.hasPrefix("$HOME") { value = home + value.dropFirst("$HOME".count) }
        return value.plainPath ?? usual
    }
}
