// SandboxResources: where on this machine is what was granted.

public import CallModel
internal import EventLoop
internal import Files

/// The files, devices and sockets behind permissions, as they are at one moment. They are found anew for each start.
public struct SandboxResources: Sendable, Hashable {
    /// A file or folder that becomes visible.
    public struct VisibleFile: Sendable, Hashable {
        /// Where it is: absolute, without symbolic links.
        public let path: String
        /// The name under which the plugin finds it: the one that the permission stands for.
        public let name: String
    }

    /// In the order of the permissions.
    public private(set) var files: [VisibleFile] = []
    /// Absolute file names, in order.
    public private(set) var devices: [String] = []
    public private(set) var sound: PulseServer?
    /// What proves to the sound server that somebody can read the user's files; nil if there is none.
    public private(set) var soundCookie: String?
    /// The proxy's socket, once there is one.
    public var sessionBus: SandboxSocket?
    /// The proxy's socket, once there is one.
    public var systemBus: SandboxSocket?
    /// What of the user's folders the plugin is told, besides its own: variables and their values.
    public private(set) var variables: [String: String] = [:]
    /// What was granted, but no plugin may have, with the reason, such as a symbolic link that leads to a key.
    public private(set) var refused: [Permission: String] = [:]
    /// What was granted and is not there.
    public private(set) var missing: Set<Permission> = []

    /// The most devices of one kind.
    private static let maximumDevices = 16

    /// Finds what the permissions mean. The sockets of buses are for the caller to make and to fill in.
    ///
    /// - Parameter environment: That of the user: `HOME`, the variables of XDG, and `PULSE_SERVER` count.
    public init(of granted: Set<Permission>, environment: [String: String]) {
        guard granted.contains(where: { $0.isFiles || $0.isDevices || $0 == .audio }) else { return }
        let places = PrivatePlaces(environment: environment)
        for permission in granted.sorted() {
            switch permission {
            case .network, .sessionBus, .systemBus: break
            case .audio: findSound(environment, places, hasNetwork: granted.contains(.network))
            case .files(let path): find(path, permission, environment, places)
            case .devices(let kind):
                let found = Self.devices(kind)
                devices += found
                if found.isEmpty { missing.insert(permission) }
            }
        }
    }

    private mutating func findSound(
        _ environment: [String: String], _ places: PrivatePlaces, hasNetwork: Bool
    ) {
        sound = PulseServer(environment: environment)
        if let config = UserFolders.base(.config, in: environment) {
            let cookie = "\(config)/pulse/cookie"
            if (try? FileStatus(cookie, followingLinks: false))?.kind == .regular { soundCookie = cookie }
        }
        switch sound {
        case nil: missing.insert(.audio)
        case .address(let address):
            if hasNetwork { return }
            refused[.audio] = "the sound server is at \(address.excerpt), which needs the permission network as well"
            sound = nil
        case .socket(let socket):
            let folder = (try? FileStatus.resolve(socket.folder)) ?? socket.folder
            let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
            let reason = folder == runtime ? "\(folder): it is the runtime folder" : places.refusalOfWhole(folder)
            if let reason {
                refused[.audio] = "the folder of the sound server's socket is granted to no plugin, \(reason)"
                sound = nil
            }
        }
    }

    private mutating func find(
        _ text: String, _ permission: Permission, _ environment: [String: String], _ places: PrivatePlaces
    ) {
        guard let place = try? UserPlace(text), let folder = UserFolders.folder(place.folder, in: environment) else {
            missing.insert(permission)
            return
        }
        let name = ([folder] + place.elements).joined(separator: "/")
        if let reason = places.refusal(of: name) {
            refused[permission] = reason
            return
        }
        guard let path = try? FileStatus.resolve(name), let kind = try? FileStatus(path).kind else {
            missing.insert(permission)
            return
        }
        guard kind == .regular || kind == .folder else {
            refused[permission] = "\(path) is a \(kind), expected a file or a folder"
            return
        }
        if let reason = places.refusal(of: path) {
            refused[permission] = reason
            return
        }
        files.append(VisibleFile(path: path, name: name))
        tell(of: place, folder, environment)
    }

    /// Lets the plugin find what it was granted: its own folders have taken the places of the user's.
    private mutating func tell(of place: UserPlace, _ folder: String, _ environment: [String: String]) {
        switch place.folder {
        case .home: variables["OPENCALLKIT_USER_HOME"] = folder
        case .config: variables["XDG_CONFIG_DIRS"] = "\(folder):\(environment["XDG_CONFIG_DIRS"] ?? "/etc/xdg")"
        case .data:
            let others = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
            variables["XDG_DATA_DIRS"] = "\(folder):\(others)"
        default:
            if let variable = UserFolders.variable(of: place.folder) { variables[variable] = folder }
        }
    }

    private static func devices(_ kind: DeviceKind) -> [String] {
        let prefixes: [String]
        switch kind {
        case .serial: prefixes = ["ttyUSB", "ttyACM"]
        case .camera: prefixes = ["video"]
        case .sound: return (try? FileStatus("/dev/snd"))?.kind == .folder ? ["/dev/snd"] : []
        }
        let names = try? FolderListing.names(in: "/dev", limit: maximumDevices) { name in
            prefixes.contains { name.hasPrefix($0) && name.utf8.dropFirst($0.utf8.count).allSatisfy(isDigit) }
        }
        return (names ?? []).map { "/dev/\($0)" }
            .filter { (try? FileStatus($0, followingLinks: false))?.kind == .characterDevice }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
