// SandboxPolicy: the sandbox and the environment of one worker.

public import CallModel
internal import Files

/// What a worker confines itself to before it loads the plugin, and the environment that it starts with.
public struct SandboxPolicy: Sendable, Hashable {
    /// The longest policy, in bytes; CSandbox reads no more.
    public static let maximumSize = 64 * 1024
    /// The folder in the sandbox that has a folder for each socket.
    static let socketFolder = "/run/opencallkit"

    /// The least level at which the worker loads the plugin; with `none` it is not confined.
    public let demand: SandboxLevel
    /// The lines that the worker reads; see `PolicyLines`.
    public let text: [UInt8]
    /// The whole environment that the worker starts with.
    public let environment: [String: String]

    /// - Parameters:
    ///   - plugin: The plugin's own files.
    ///   - part: The part of the plugin that the worker runs.
    ///   - granted: The plugin's permissions; those that the part does not get are left out.
    ///   - storage: The folders that the plugin writes to.
    ///   - resources: What the permissions stand for.
    ///   - environment: The host's, of which the worker inherits a part; see `InheritedEnvironment`.
    ///   - worker: The path of callkit-worker.
    ///   - demand: The least level at which the worker loads the plugin.
    ///   - kernel: The kernel features that tests switch off.
    ///   - reportsDenied: Whether the report lists what the plugin tried and was denied.
    /// - Throws: `NotSupported` for a path with a tab or a line feed; `LimitsExceeded` if the policy is longer than
    ///   `maximumSize`.
    public init(
        for plugin: SandboxedPlugin, as part: PluginPart = .provider, granted: Set<Permission>,
        storage: PluginStorage, resources: SandboxResources, environment: [String: String], worker: String,
        demand: SandboxLevel, kernel: SimulatedKernel = SimulatedKernel(), reportsDenied: Bool = false
    ) throws(CallError) {
        self.demand = demand
        let granted = granted.filter(part.gets)
        var lines = PolicyLines()
        try lines.add("demand", demand.rawValue)
        var variables = InheritedEnvironment.part(of: environment)
        let runtime = plugin.canShareRuntime ? SharedRuntime.folder(of: worker) : nil
        if demand != .none {
            variables = InheritedEnvironment.confined(variables, granted)
            try lines.add(kernel)
            if reportsDenied { try lines.add("report-denied") }
            try lines.add(plugin, worker, environment)
            if let runtime { try lines.add("read", runtime) }
            try lines.add(storage)
            try lines.add(granted, resources, environment)
        }
        variables.merge(resources.variables) { $1 }
        variables.merge(storage.environment(for: part)) { $1 }
        // For libraries beside the plugin: the loader gets an open file and does not know its folder.
        variables["LD_LIBRARY_PATH"] = [plugin.library.deletingLastElement, runtime].compactMap(\.self).joined(
            separator: ":")
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
