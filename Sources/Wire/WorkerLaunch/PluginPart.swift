// What a plugin can be.

internal import CallModel

/// One of a plugin's entries, each run in a worker of its own.
public enum PluginPart: Hashable, Sendable, CaseIterable {
    /// Makes and takes calls; its worker runs as long as the plugin does.
    case provider
    /// Knows numbers to block and to name; its worker runs while they are loaded.
    case directory

    /// The symbol that the plugin exports.
    public var entry: String {
        switch self {
        case .provider: "opencallkit_plugin_main"
        case .directory: "opencallkit_directory_main"
        }
    }

    /// Whether its worker gets a permission that the plugin has. A directory is loaded with the user's files alone: it
    /// knows numbers, and nothing of them leaves this machine.
    func gets(_ permission: Permission) -> Bool {
        switch permission {
        case .files: true
        case .network, .audio, .sessionBus, .systemBus, .devices: self == .provider
        }
    }

    /// What callkit-worker is told beside the file.
    var workerArguments: [String] {
        switch self {
        case .provider: []
        case .directory: ["directory"]
        }
    }
}
