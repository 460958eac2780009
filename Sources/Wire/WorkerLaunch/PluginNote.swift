// The note that the SDK leaves in every plugin, which says whether the two sides will understand each other.

/// What `.note.opencallkit` says. In the file: name `OpenCallKit`, type 1, and six 32-bit numbers, in this order.
public struct PluginNote: Hashable, Sendable {
    public struct SDKVersion: Hashable, Sendable, CustomStringConvertible {
        public let major, minor, patch: UInt32
        public var description: String { "\(major).\(minor).\(patch)" }

        init(major: UInt32, minor: UInt32, patch: UInt32) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }
    }

    public struct Toolchain: Hashable, Sendable, CustomStringConvertible {
        public let major, minor: UInt32
        public var description: String { "\(major).\(minor)" }

        init(major: UInt32, minor: UInt32) {
            self.major = major
            self.minor = minor
        }
    }

    static let name = "OpenCallKit"
    static let type: UInt32 = 1

    /// Of the provider protocol, see `Contract.protocolVersion`.
    public let protocolVersion: UInt32
    public let sdkVersion: SDKVersion
    /// The Swift compiler that built the SDK; 0.0 for a plugin in another language.
    public let toolchain: Toolchain

    init(protocolVersion: UInt32, sdkVersion: SDKVersion, toolchain: Toolchain) {
        self.protocolVersion = protocolVersion
        self.sdkVersion = sdkVersion
        self.toolchain = toolchain
    }

    /// Such as `0.1.0`.
    public var sdkVersionText: String { sdkVersion.description }
}
