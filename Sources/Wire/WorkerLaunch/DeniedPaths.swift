// DeniedPaths: the files and folders that no plugin gets, whatever was granted.

internal import CallModel
internal import EventLoop
internal import Files

/// The files and folders of one user that are never granted. `PermissionPath` has checked the text of the permission;
/// this checks the real path, after symbolic links and variables.
struct DeniedPaths {
    /// A folder or file that is denied.
    private struct Place {
        /// Its path, and its path without symbolic links if that differs.
        let names: [String]
        /// Why it is denied, as the end of a sentence.
        let reason: String
        /// nil if it does not exist. It finds the folder also by a path that differs in case, or that is another mount.
        let identity: FileIdentity?
        /// Paths in it that can be granted.
        var exceptions: [String] = []

        init(_ path: String, _ reason: String) {
            names = DeniedPaths.names(of: path)
            self.reason = reason
            identity = names.last.flatMap { FileIdentity($0) }
        }

        func holds(_ path: String) -> Bool {
            guard !exceptions.contains(where: path.isIn) else { return false }
            return names.contains(where: path.isIn)
        }
    }

    private var places: [Place] = []
    /// Folders that are denied themselves, while files in them can be granted.
    private var wholes: [Place] = []

    init(environment: [String: String]) {
        for system in ["/proc", "/sys", "/dev", "/run", "/var/run", "/boot"] {
            places.append(Place(system, "it is the system's"))
        }
        for whole in ["/home", "/tmp", "/var/tmp"] { wholes.append(Place(whole, "it is shared by all users")) }
        let home = BaseFolder.home(in: environment)
        if let home {
            wholes.append(Place(home, "it is the user's home folder"))
            for secret in PermissionPath.secrets { places.append(Place("\(home)/\(secret)", Self.hasSecrets)) }
        }
        for (base, folders) in Self.secretFolders {
            guard let base = base.path(in: environment) else { continue }
            for folder in folders { places.append(Place("\(base)/\(folder)", Self.hasSecrets)) }
        }
        for base in BaseFolder.allCases {
            guard let folder = base.path(in: environment) else { continue }
            var place = Place("\(folder)/opencallkit", Self.isOurs)
            if base == .config { place.exceptions = Self.names(of: "\(folder)/opencallkit/lists") }
            places.append(place)
        }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return }
        places.append(Place("\(runtime)/opencallkit", Self.isOurs))
        // It has the sockets of the whole session. A folder that contains the home folder is not a runtime folder.
        if home?.isIn(runtime) != true { places.append(Place(runtime, "it is the runtime folder")) }
    }

    private static let hasSecrets = "it can hold the user's secrets"
    private static let isOurs = "it is OpenCallKit's own"
    /// Those of `PermissionPath.secrets` that move with the user's folders.
    private static let secretFolders = [(BaseFolder.config, ".config/"), (.data, ".local/share/")].map { base, folder in
        (base, PermissionPath.secrets.filter { $0.hasPrefix(folder) }.map { String($0.dropFirst(folder.count)) })
    }

    /// Returns why an absolute path is denied, as a sentence; nil if it can be granted.
    func refusal(of path: String) -> String? {
        for place in places where place.holds(path) { return "\(path) is in \(place.names[0]): \(place.reason)" }
        return refusalOfAnotherName(path) ?? refusalOfWhole(path)
    }

    /// The same for a path that reaches a denied folder by another name, for example in other letter case.
    private func refusalOfAnotherName(_ path: String) -> String? {
        var folder = path
        while folder != "/" {
            let identity = FileIdentity(folder)
            for place in places where identity != nil && place.identity == identity {
                guard !place.exceptions.contains(where: path.isIn) else { continue }
                return "\(path) is in \(place.names[0]): \(place.reason)"
            }
            folder = folder.deletingLastElement
        }
        return nil
    }

    /// Returns why a folder cannot be granted as a whole, because it contains a denied one; nil if it can.
    func refusalOfWhole(_ path: String) -> String? {
        for place in wholes + places {
            for name in place.names where name.isIn(path) {
                return name == path ? "\(path): \(place.reason)" : "\(path) contains \(name): \(place.reason)"
            }
        }
        return nil
    }

    /// The path itself, and the path without symbolic links if that differs.
    private static func names(of path: String) -> [String] {
        guard let resolved = try? FileStatus.resolve(path), resolved != path else { return [path] }
        return [path, resolved]
    }
}
