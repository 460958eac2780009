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
        /// Nil if it is not there. It says more than names: a disk may know a file by many.
        let identity: FileIdentity?
        /// What in it may be granted all the same.
        var exceptions: [String] = []

        init(_ path: String, _ reason: String) {
            names = PrivatePlaces.names(of: path)
            self.reason = reason
            identity = names.last.flatMap { FileIdentity($0) }
        }

        func holds(_ path: String) -> Bool {
            guard !exceptions.contains(where: path.isIn) else { return false }
            return names.contains(where: path.isIn)
        }
    }

    private var places: [Place] = []
    /// What no plugin gets as a whole, while what is below it may be granted.
    private var wholes: [Place] = []

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
        for base in [UserFolders.Base.config, .data, .state, .cache] {
            guard let folder = UserFolders.base(base, in: environment) else { continue }
            var place = Place("\(folder)/opencallkit", Self.isOurs)
            if base == .config { place.exceptions = Self.names(of: "\(folder)/opencallkit/lists") }
            places.append(place)
        }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return }
        places.append(Place("\(runtime)/opencallkit", Self.isOurs))
        // Sockets of everything that runs in the session. One that holds the home folder is no runtime folder.
        if home?.isIn(runtime) != true { places.append(Place(runtime, "it is the runtime folder")) }
    }

    private static let hasSecrets = "it can hold the user's secrets"
    private static let isOurs = "it is OpenCallKit's own"
    private static let secretFolders: [(UserFolders.Base, [String])] = [
        (.config, ["chromium", "google-chrome", "kwalletrc", "gh", "gcloud"]), (.data, ["keyrings", "kwalletd"]),
    ]

    /// Tells why an absolute file name stays closed; nil if it may be granted.
    func refusal(of path: String) -> String? {
        for place in places where place.holds(path) { return "\(path) is in \(place.names[0]): \(place.reason)" }
        return refusalOfAnotherName(path) ?? refusalOfWhole(path)
    }

    /// The same for a file below a place whose name is another one here, such as one of other case.
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

    /// Tells why an absolute file name holds too much; nil if it does not.
    func refusalOfWhole(_ path: String) -> String? {
        for place in wholes + places {
            for name in place.names where name.isIn(path) {
                return name == path ? "\(path): \(place.reason)" : "\(path) contains \(name): \(place.reason)"
            }
        }
        return nil
    }

    /// The name itself, and the one without symbolic links.
    private static func names(of path: String) -> [String] {
        guard let resolved = try? FileStatus.resolve(path), resolved != path else { return [path] }
        return [path, resolved]
    }
}
