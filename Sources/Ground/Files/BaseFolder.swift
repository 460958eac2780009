// BaseFolder: the folders of the XDG Base Directory Specification.

internal import EventLoop

/// A kind of the user's files, which has a folder of its own. Raw values are the variables that name the folders.
public enum BaseFolder: String, CaseIterable, Sendable {
    /// Settings.
    case config = "XDG_CONFIG_HOME"
    /// What programs keep for the user.
    case data = "XDG_DATA_HOME"
    /// What programs keep for themselves.
    case state = "XDG_STATE_HOME"
    /// What can be computed or downloaded again.
    case cache = "XDG_CACHE_HOME"

    /// The user's home folder; nil unless `HOME` is an absolute path.
    public static func home(in environment: [String: String]) -> String? { environment["HOME"]?.plainPath }

    /// The user's folder for these files, as a plain absolute path. It need not exist.
    ///
    /// As the specification has it, the default applies if the variable is not set, empty or relative.
    ///
    /// - Returns: nil if neither the variable nor `HOME` is an absolute path.
    public func path(in environment: [String: String]) -> String? {
        environment[rawValue]?.plainPath
            ?? Self.home(in: environment).map { $0 == "/" ? "/\(standard)" : "\($0)/\(standard)" }
    }

    /// Where the folder is below the home folder by default.
    private var standard: String {
        switch self {
        case .config: ".config"
        case .data: ".local/share"
        case .state: ".local/state"
        case .cache: ".cache"
        }
    }

    /// The system's folders for settings, the most important first: `XDG_CONFIG_DIRS`. None need exist.
    public static func systemConfig(in environment: [String: String]) -> [String] {
        list("XDG_CONFIG_DIRS", in: environment, default: "/etc/xdg")
    }

    /// The system's folders for data, the most important first: `XDG_DATA_DIRS`. None need exist.
    public static func systemData(in environment: [String: String]) -> [String] {
        list("XDG_DATA_DIRS", in: environment, default: "/usr/local/share:/usr/share")
    }

    /// The absolute paths of a list; relative ones are ignored.
    private static func list(
        _ variable: String, in environment: [String: String], default standard: String
    ) -> [String] {
        let text = environment[variable].flatMap { $0.isEmpty ? nil : $0 } ?? standard
        return text.split(separator: ":").compactMap { String($0).plainPath }
    }
}
