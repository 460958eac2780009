// PolicyLines: the text of a policy, which CSandbox reads.

public import CallModel
internal import Files

/// Writes the lines of a policy: a word, then its fields, each after a tab. `CSandbox/include/sandbox.h` lists them.
public struct PolicyLines: Sendable {
    public private(set) var text: [UInt8] = []
    private var seen: Set<String> = []

    public init() {}

    /// Adds a line, unless it is there already.
    ///
    /// - Throws: `NotSupported` if a field is empty, or has a tab, a line feed or a NUL; the message quotes it.
    public mutating func add(_ word: String, _ fields: String...) throws(CallError) {
        for field in fields {
            guard !field.isEmpty, !field.utf8.contains(where: { [0, 9, 10].contains($0) }) else {
                throw CallError(
                    .notSupported,
                    "\(field.isEmpty ? "an empty name" : field.excerpt) cannot stand in the policy of a sandbox, "
                        + "expected a name without tabs, line feeds and NUL")
            }
        }
        let line = ([word] + fields).joined(separator: "\t")
        guard seen.insert(line).inserted else { return }
        text += Array(line.utf8) + [UInt8(ascii: "\n")]
    }

    /// Adds the kernel features that tests switch off.
    mutating func add(_ kernel: SimulatedKernel) throws(CallError) {
        for feature in kernel.without.sorted(by: { $0.rawValue < $1.rawValue }) {
            try add("without", feature.rawValue)
        }
        if let abi = kernel.landlockABI { try add("landlock-abi", String(abi)) }
    }

    /// Adds the files that every worker of this plugin reads: callkit-worker, the Swift runtime and the plugin itself.
    mutating func add(
        _ plugin: SandboxedPlugin, _ worker: String, _ environment: [String: String]
    ) throws(CallError) {
        try add("read", worker.plainPath?.deletingLastElement ?? worker)
        let places = DeniedPaths(environment: environment)
        for folder in plugin.runtimeFolders {
            // If the plugin can write to the folder above, it can replace the folder by a symbolic link before the
            // worker opens it. So the worker gets the path without symbolic links.
            guard let real = try? FileStatus.resolve(folder), places.refusal(of: real) == nil else { continue }
            if real == folder { try add("read", folder) } else { try add("read", real, folder) }
        }
        guard plugin.bundle.isEmpty else { return try add("read", plugin.bundle) }
        // A bare library may lie anywhere, even in the home folder.
        let folder = plugin.library.deletingLastElement
        try add("read", places.refusalOfWhole(folder) == nil ? folder : plugin.library)
    }

    /// Adds the folders that the plugin writes to.
    mutating func add(_ storage: PluginStorage) throws(CallError) {
        try add("write", storage.state)
        // The temporary folder is in it.
        try add("write", storage.cache)
    }

    /// Adds what was granted.
    mutating func add(
        _ granted: Set<Permission>, _ resources: SandboxResources, _ environment: [String: String]
    ) throws(CallError) {
        if granted.contains(.network) {
            try add("network")
            // The certificates of the authorities that the user trusts.
            for variable in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
                if let path = environment[variable]?.plainPath { try add("read", path) }
            }
        }
        for file in resources.files where granted.contains(where: \.isFiles) {
            if file.path == file.name { try add("read", file.path) } else { try add("read", file.path, file.name) }
        }
        for device in resources.devices where granted.contains(where: \.isDevices) { try add("device", device) }
        if granted.contains(.audio) { try addSound(resources) }
        if let socket = resources.sessionBus, granted.contains(where: \.isSessionBus) {
            try add(socket, as: "session-bus", in: "DBUS_SESSION_BUS_ADDRESS", Self.busAddress)
        }
        if let socket = resources.systemBus, granted.contains(where: \.isSystemBus) {
            try add(socket, as: "system-bus", in: "DBUS_SYSTEM_BUS_ADDRESS", Self.busAddress)
        }
    }

    private mutating func addSound(_ resources: SandboxResources) throws(CallError) {
        switch resources.sound {
        case .socket(let socket):
            try add(socket, as: "pulse", in: "PULSE_SERVER") { "unix:\($0)" }
        case .address(let address): try add("environment", "PULSE_SERVER", address)
        case nil: return
        }
        if let cookie = resources.soundCookie {
            try add("read", cookie)
            try add("environment", "PULSE_COOKIE", cookie)
        }
    }

    /// Adds a socket, and the variable with its address: in the sandbox's own file system, or below the level `full` in
    /// the machine's.
    private mutating func add(
        _ socket: SandboxSocket, as name: String, in variable: String, _ address: (String) -> String
    ) throws(CallError) {
        let folder = "\(SandboxPolicy.socketFolder)/\(name)"
        try add("socket", socket.folder, folder, socket.name)
        try add("environment", variable, address("\(folder)/\(socket.name)"))
        try add("environment-at-landlock", variable, address(socket.path))
    }

    /// A D-Bus address for a path. Bytes that the D-Bus specification does not allow in it are escaped as `%` and two
    /// hexadecimal digits.
    private static func busAddress(_ path: String) -> String {
        let digits = Array("0123456789abcdef")
        var address = "unix:path="
        for byte in path.utf8 {
            if byte.isASCIIAlphanumeric || "/.-_".utf8.contains(byte) {
                address.append(Character(UnicodeScalar(byte)))
            } else {
                address.append("%")
                address.append(digits[Int(byte >> 4)])
                address.append(digits[Int(byte & 15)])
            }
        }
        return address
    }
}
