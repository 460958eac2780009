// SandboxResources: the files, devices and sockets of this machine that permissions stand for.

public import CallModel
internal import EventLoop
internal import Files

/// The files, devices and sockets that permissions stand for at one moment. They are looked up at each start of a
/// worker.
public struct SandboxResources: Sendable, Hashable {
    /// A file or folder that becomes visible.
    public struct VisibleFile: Sendable, Hashable {
        /// Its absolute path, without symbolic links.
        public let path: String
        /// The absolute path that the permission names, under which the plugin finds it.
        public let name: String
    }

    /// In the order of the permissions.
    public private(set) var files: [VisibleFile] = []
    /// Absolute paths, in the order of the permissions.
    public private(set) var devices: [String] = []
    /// The sound server; nil without `audio`, or if there is none.
    public private(set) var sound: PulseServer?
    /// The file with PulseAudio's authentication cookie; nil if there is none.
    public private(set) var soundCookie: String?
    /// The socket of the proxy to the session bus, which the caller sets.
    public var sessionBus: SandboxSocket?
    /// The socket of the proxy to the system bus, which the caller sets.
    public var systemBus: SandboxSocket?
    /// The environment variables by which the plugin finds the user's folders, and their values.
    public private(set) var variables: [String: String] = [:]
    /// The granted permissions that cannot be honored, with the reason: for example, a symbolic link leads to a key.
    public private(set) var refused: [Permission: String] = [:]
    /// The granted permissions that stand for nothing on this machine now.
    public private(set) var missing: Set<Permission> = []

    /// The most devices of one kind.
    private static let maximumDevices = 16

    /// Looks up what the permissions stand for. The caller starts the proxies of buses, and sets their sockets.
    ///
    /// - Parameter environment: The user's; it reads `HOME`, the `XDG_` variables and `PULSE_SERVER`.
    public init(of granted: Set<Permission>, environment: [String: String]) {
        guard granted.contains(where: { $0.isFiles || $0.isDevices || $0 == .audio }) else { return }
        let places = DeniedPaths(environment: environment)
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
        _ environment: [String: String], _ places: DeniedPaths, hasNetwork: Bool
    ) {
        sound = PulseServer(environment: environment)
        if let config = BaseFolder.config.path(in: environment) {
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
        _ text: String, _ permission: Permission, _ environment: [String: String], _ places: DeniedPaths
    ) {
        guard let place = try? PermissionPath(text), let folder = place.folder.path(in: environment) else {
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
        // The plugin's own folders replace the user's, so it needs a variable to find this one.
        if let (variable, value) = place.folder.variable(for: folder, in: environment) { variables[variable] = value }
    }

    /// The device files of a kind, at most `maximumDevices`.
    private static func devices(_ kind: DeviceKind) -> [String] {
        let prefixes: [String]
        switch kind {
        case .serial: prefixes = ["ttyUSB", "ttyACM"]
        case .camera: prefixes = ["video"]
        case .sound: return (try? FileStatus("/dev/snd"))?.kind == .folder ? ["/dev/snd"] : []
        }
        let names = try? FolderListing.names(in: "/dev", limit: maximumDevices) { name in
            prefixes.contains { name.hasPrefix($0) && name.utf8.dropFirst($0.utf8.count).allSatisfy(\.isASCIIDigit) }
        }
        return (names ?? []).map { "/dev/\($0)" }
            .filter { (try? FileStatus($0, followingLinks: false))?.kind == .characterDevice }
    }
}
