// PluginPart: the entries that a plugin can export.

internal import CallModel

/// One of a plugin's entries, each run in a worker of its own.
public enum PluginPart: Hashable, Sendable, CaseIterable {
    /// Makes and takes calls. Its worker runs as long as the plugin does.
    case provider
    /// Blocks numbers and names callers. Its worker runs while its entries are loaded.
    case directory

    /// The symbol that the plugin exports.
    public var entry: String {
        switch self {
        case .provider: "opencallkit_plugin_main"
        case .directory: "opencallkit_directory_main"
        }
    }

    /// Whether the worker of this part gets a permission of the plugin. A directory gets files only, so that which
    /// numbers are looked up stays on this machine.
    func gets(_ permission: Permission) -> Bool {
        switch permission {
        case .files: true
        case .network, .audio, .sessionBus, .systemBus, .devices: self == .provider
        }
    }

    /// The arguments of callkit-worker that choose this part.
    var workerArguments: [String] {
        switch self {
        case .provider: []
        case .directory: ["directory"]
        }
    }
}
