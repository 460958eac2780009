// Permission: what a plugin may use outside its sandbox.

/// One thing outside its sandbox that a plugin asks for in `Plugin.ini`, and that the user or its installation grants.
public enum Permission: Hashable, Sendable {
    /// The network: internet addresses, name service and the services of this machine.
    case network
    /// The sound server: playback and recording.
    case audio
    /// Method calls to the service with this well-known name on the session bus.
    case sessionBus(String)
    /// Method calls to the service with this well-known name on the system bus.
    case systemBus(String)
    /// Read access to a file or folder of the user, such as `~/x` or `xdg-config/x`; see `PermissionPath`.
    case files(String)
    /// All devices of a kind.
    case devices(DeviceKind)

    /// The longest text of a permission, in bytes.
    public static let maximumLength = 512

    /// Reads a permission as it stands in `Plugin.ini` and on the bus, such as `session-bus:org.example.Name`.
    ///
    /// - Throws: `NotSupported` if the text is not a permission, or names one that is never granted. The message quotes
    ///   the text and tells what was expected.
    public init(_ text: String) throws(CallError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw CallError(
                .notSupported,
                "the permission \(text.plainExcerpt)… has \(text.utf8.count) bytes, expected at most \(Self.maximumLength)"
            )
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts.first ?? "", parts.count == 2 ? parts[1] : nil) {
        case ("network", nil): self = .network
        case ("audio", nil): self = .audio
        case ("session-bus", let name?):
            try Self.checkService(name, text)
            self = .sessionBus(name)
        case ("system-bus", let name?):
            try Self.checkService(name, text)
            self = .systemBus(name)
        case ("files", let path?):
            do throws(CallError) {
                _ = try PermissionPath(path)
            } catch {
                throw CallError(error.code, "\(text.plainExcerpt): \(error.message)")
            }
            self = .files(path)
        case ("devices", let word?):
            guard let kind = DeviceKind(rawValue: word) else {
                let known = DeviceKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw CallError(.notSupported, "\(text.plainExcerpt) names no kind of device, expected one of \(known)")
            }
            self = .devices(kind)
        default:
            throw CallError(
                .notSupported,
                "\(text.plainExcerpt.isEmpty ? "an empty text" : text.plainExcerpt) is not a permission, expected network, "
                    + "audio, session-bus:NAME, system-bus:NAME, files:PATH or devices:KIND")
        }
    }

    /// The text that `init(_:)` reads.
    public var text: String {
        switch self {
        case .network: "network"
        case .audio: "audio"
        case .sessionBus(let name): "session-bus:\(name)"
        case .systemBus(let name): "system-bus:\(name)"
        case .files(let path): "files:\(path)"
        case .devices(let kind): "devices:\(kind.rawValue)"
        }
    }

    public var isFiles: Bool { if case .files = self { true } else { false } }
    public var isDevices: Bool { if case .devices = self { true } else { false } }
    public var isSessionBus: Bool { if case .sessionBus = self { true } else { false } }
    public var isSystemBus: Bool { if case .systemBus = self { true } else { false } }

    private static func checkService(_ name: String, _ text: String) throws(CallError) {
        guard PermissionBusName.isValid(name) else {
            throw CallError(
                .notSupported,
                "\(text.plainExcerpt) names no service, expected one whole well-known name such as org.example.Name")
        }
        if let reason = PermissionBusName.refusal(of: name) {
            throw CallError(.notSupported, "\(text.plainExcerpt) is granted to no plugin: \(reason)")
        }
    }
}

extension Permission: Comparable {
    public static func < (one: Permission, other: Permission) -> Bool {
        (one.rank, one.text) < (other.rank, other.text)
    }

    private var rank: Int {
        switch self {
        case .network: 0
        case .audio: 1
        case .sessionBus: 2
        case .systemBus: 3
        case .files: 4
        case .devices: 5
        }
    }
}

extension Permission: CustomStringConvertible {
    public var description: String { text }
}
