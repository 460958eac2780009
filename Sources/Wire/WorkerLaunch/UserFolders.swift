// UserFolders: where the user's folders lie, by the XDG specifications.

internal import CallModel
internal import EventLoop
internal import Files

/// Finds the user's folders out of an environment. None of them need exist.
enum UserFolders {
    /// The folders of the XDG base directory specification.
    enum Base: String {
        case config = "XDG_CONFIG_HOME"
        case data = "XDG_DATA_HOME"
        case state = "XDG_STATE_HOME"
        case cache = "XDG_CACHE_HOME"

        var standard: String {
            switch self {
            case .config: ".config"
            case .data: ".local/share"
            case .state: ".local/state"
            case .cache: ".cache"
            }
        }
    }

    /// The user's home; nil if the environment names none, or names it by a relative name.
    static func home(in environment: [String: String]) -> String? { plain(environment["HOME"]) }

    static func base(_ base: Base, in environment: [String: String]) -> String? {
        plain(environment[base.rawValue]) ?? home(in: environment).map { "\($0)/\(base.standard)" }
    }

    /// The absolute name of one of the folders that permissions name.
    static func folder(_ folder: UserPlace.Folder, in environment: [String: String]) -> String? {
        switch folder {
        case .home: home(in: environment)
        case .config: base(.config, in: environment)
        case .data: base(.data, in: environment)
        case .desktop: named("DESKTOP", "Desktop", in: environment)
        case .documents: named("DOCUMENTS", "Documents", in: environment)
        case .download: named("DOWNLOAD", "Downloads", in: environment)
        case .music: named("MUSIC", "Music", in: environment)
        case .pictures: named("PICTURES", "Pictures", in: environment)
        case .videos: named("VIDEOS", "Videos", in: environment)
        }
    }

    /// The variable by which programs find one of those folders, beside the file `user-dirs.dirs`.
    static func variable(of folder: UserPlace.Folder) -> String? {
        switch folder {
        case .home, .config, .data: nil
        case .desktop: "XDG_DESKTOP_DIR"
        case .documents: "XDG_DOCUMENTS_DIR"
        case .download: "XDG_DOWNLOAD_DIR"
        case .music: "XDG_MUSIC_DIR"
        case .pictures: "XDG_PICTURES_DIR"
        case .videos: "XDG_VIDEOS_DIR"
        }
    }

    /// A folder that the user can name: `XDG_MUSIC_DIR="$HOME/Musik"` in `user-dirs.dirs`.
    private static func named(_ word: String, _ standard: String, in environment: [String: String]) -> String? {
        guard let home = home(in: environment) else { return nil }
        let usual = "\(home)/\(standard)"
        guard let config = base(.config, in: environment),
            let text = try? ConfigurationText.read("\(config)/user-dirs.dirs"),
            var value = text.entries.last(where: { $0.key == "XDG_\(word)_DIR" })?.value
        else { return usual }
        if value.hasPrefix("\""), value.hasSuffix("\""), value.utf8.count >= 2 {
            value = String(value.dropFirst().dropLast())
        }
        if value.hasPrefix("$HOME") { value = home + value.dropFirst("$HOME".count) }
        return plain(value) ?? usual
    }

    /// The absolute name in its plain form; nil for what is not one.
    static func plain(_ path: String?) -> String? {
        guard let path, path.utf8.first == UInt8(ascii: "/") else { return nil }
        // Where `..` leads, only the disk can tell.
        if path.climbs { return try? FileStatus.resolve(path) }
        let elements = path.utf8.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        return "/" + elements.map { String(Substring($0)) }.joined(separator: "/")
    }
}
