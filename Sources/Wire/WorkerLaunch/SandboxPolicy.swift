// SandboxPolicy: what a worker may use, as the text that it is handed when it starts.

public import CallModel

/// What a worker confines itself to before it loads the plugin, and the environment that it starts with. What was
/// granted has been found by then: only where a library alone lies is looked at here.
public struct SandboxPolicy: Sendable, Hashable {
    /// The longest text, in bytes.
    public static let maximumSize = 64 * 1024
    /// The folder in the sandbox with the folders of sockets.
    static let socketFolder = "/run/opencallkit"

    /// The least level at which the plugin is loaded; `none` leaves the worker as it is.
    public let demand: SandboxLevel
    /// The lines that the worker reads: words and their fields, separated by tabs.
    public let text: [UInt8]
    /// All of the environment that the worker starts with.
    public let environment: [String: String]

    /// - Parameters:
    ///   - plugin: The plugin's own files.
    ///   - part: The entry that is called.
    ///   - granted: What the plugin may use; of this counts what the part gets.
    ///   - storage: The folders that the plugin may write to.
    ///   - resources: Where is what was granted.
    ///   - environment: That of the host; the worker gets a part of it, see `InheritedEnvironment`.
    ///   - worker: The path of callkit-worker.
    ///   - reportsDenied: Whether what the plugin is denied is listed in the report.
    /// - Throws: `NotSupported` naming a file whose name has a tab or a line feed; `LimitsExceeded` if the policy is too
    ///   long.
    public init(
        for plugin: SandboxedPlugin, as part: PluginPart = .provider, granted: Set<Permission>,
        storage: PluginStorage, resources: SandboxResources, environment: [String: String], worker: String,
        demand: SandboxLevel, pretences: SandboxPretences = SandboxPretences(), reportsDenied: Bool = false
    ) throws(CallError) {
        self.demand = demand
        let granted = granted.filter(part.gets)
        var lines = PolicyLines()
        try lines.add("demand", demand.rawValue)
        var variables = InheritedEnvironment.part(of: environment)
        if demand != .none {
            variables = InheritedEnvironment.confined(variables, granted)
            try lines.add(pretences)
            if reportsDenied { try lines.add("report-denied") }
            try lines.add(plugin, worker, environment)
            try lines.add(storage)
            try lines.add(granted, resources, environment)
        }
        variables.merge(resources.variables) { $1 }
        variables.merge(storage.environment(for: part)) { $1 }
        // Libraries beside it: the loader does not know where the descriptor's file lies.
        variables["LD_LIBRARY_PATH"] = plugin.library.deletingLastElement
        self.environment = variables
        guard lines.text.count <= Self.maximumSize else {
            throw CallError(
                .limitsExceeded,
                "the policy of \(plugin.library.excerpt) has \(lines.text.count) bytes, "
                    + "expected at most \(Self.maximumSize)")
        }
        text = lines.text
    }
}
