// PrivatePlaces: what of the disk no plugin gets, whatever was granted.

internal import CallModel
internal import EventLoop
internal import Files

/// The folders of one user that stay closed. The words of a permission have been checked when it was read; here it
/// counts where they lead, through symbolic links and variables.
struct PrivatePlaces {
    /// A folder or file, by all the names that it has here, and why it stays closed.
    private struct Place {
        let names: [String]
        let reason: String

        init(_ path: String, _ reason: String) {
            names = PrivatePlaces.names(of: path)
            self.reason = reason
        }
    }

    private var places: [Place] = []
    /// What no plugin gets as a whole, while what is below it may be granted.
    private var wholes: [Place] = []
    /// Below our own configuration, and there to be read by plugins.
    private var lists: [String] = []

    init(environment: [String: String]) {
        for system in ["/proc", "/sys", "/dev", "/run", "/var/run", "/boot"] {
            places.append(Place(system, "it is the system's"))
        }
        for whole in ["/home", "/tmp", "/var/tmp"] { wholes.append(Place(whole, "it is shared by all users")) }
        let home = UserFolders.home(in: environment)
        if let home {
            wholes.append(Place(home, "it is the user's home folder"))
            for secret in UserPlace.secrets { places.append(Place("\(home)/\(secret)", Self.hasSecrets)) }
        }
        for (base, folders) in Self.secretFolders {
            guard let base = UserFolders.base(base, in: environment) else { continue }
            for folder in folders { places.append(Place("\(base)/\(folder)", Self.hasSecrets)) }
        }
        let runtime = environment["XDG_RUNTIME_DIR"]
        for base in [.config, .data, .state, .cache].map({ UserFolders.base($0, in: environment) }) + [runtime] {
            guard let base, base.hasPrefix("/") else { continue }
            places.append(Place("\(base)/opencallkit", "it is OpenCallKit's own"))
        }
        // Sockets of everything that runs in the session. One that holds the home folder is no runtime folder.
        if let runtime, runtime.hasPrefix("/"), home.map({ !Self.isIn($0, runtime) }) ?? true {
            places.append(Place(runtime, "it is the runtime folder"))
        }
        lists = UserFolders.base(.config, in: environment).map { Self.names(of: "\($0)/opencallkit/lists") } ?? []
    }

    private static let hasSecrets = "it can hold the user's secrets"
    private static let secretFolders: [(UserFolders.Base, [String])] = [
        (.config, ["chromium", "google-chrome", "kwalletrc", "gh", "gcloud"]), (.data, ["keyrings", "kwalletd"]),
    ]

    /// Tells why an absolute file name stays closed; nil if it may be granted.
    func refusal(of path: String) -> String? {
        let isList = lists.contains { Self.isIn(path, $0) }
        for place in places {
            for name in place.names where Self.isIn(path, name) && !isList {
                return "\(path) is in \(name): \(place.reason)"
            }
        }
        return refusalOfWhole(path)
    }

    /// Tells why an absolute file name holds too much; nil if it does not.
    func refusalOfWhole(_ path: String) -> String? {
        for place in wholes + places {
            for name in place.names where Self.isIn(name, path) {
                return name == path ? "\(path): \(place.reason)" : "\(path) contains \(name): \(place.reason)"
            }
        }
        return nil
    }

    /// Whether `path` is `folder` or below it. Both are absolute.
    static func isIn(_ path: String, _ folder: String) -> Bool {
        path == folder || folder == "/" || path.hasPrefix("\(folder)/")
    }

    private static func names(of path: String) -> [String] {
        guard let resolved = try? FileStatus.resolve(path), resolved != path else { return [path] }
        return [path, resolved]
    }
}
