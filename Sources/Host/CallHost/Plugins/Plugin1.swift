// org.opencallkit.Plugin1: what a plugin has, how it fares, and its switch.

import CallModel
import CallWire
import DBus
import EventLoop
import WorkerLaunch

/// Shows a plugin as it was announced last.
@LoopActor
final class PluginObject {
    let plugin: Plugin
    private var facts: Facts

    /// What the bus shows, but for the path.
    private struct Facts: Equatable {
        let kinds: [String]
        let isEnabled: Bool
        let state: String
        let error: String
        let pid: UInt32
        let sdkVersion: String
        let version: String
        let restarts: UInt32
        let startReason: String
        let permissions: PluginPermissions
        let sandbox: String
        let gaps: [String]
        let problems: [String]
        let upgrade: String
        let upgradeError: String
        let upgradeVersion: String

        @LoopActor init(_ plugin: Plugin) {
            kinds = plugin.kinds
            isEnabled = plugin.isEnabled
            state = plugin.state.rawValue
            error = plugin.error
            pid = UInt32(clamping: plugin.pid)
            sdkVersion = plugin.sdkVersion
            version = plugin.version.manifest.version
            restarts = plugin.restarts
            startReason = plugin.startReason.rawValue
            permissions = plugin.shownPermissions
            sandbox =
                plugin.confinement?.level.rawValue ?? (plugin.isRunning && plugin.sandbox.isUnconfined ? "none" : "")
            gaps = plugin.confinement?.gaps ?? []
            problems = plugin.problems.texts(of: plugin.version)
            upgrade = plugin.upgrade?.stage.rawValue ?? ""
            upgradeError = plugin.upgrade?.error ?? ""
            upgradeVersion = plugin.upgrade?.version.manifest.version ?? ""
        }
    }

    init(_ plugin: Plugin) {
        self.plugin = plugin
        facts = Facts(plugin)
    }

    /// Takes the plugin's new values over and returns the names of the properties that change with them.
    func showChanges() -> [String] {
        let old = PluginObject(plugin)
        (old.facts, facts) = (facts, old.facts)
        return Self.interface.differences(between: old, and: self)
    }

    static let interface = Interface<PluginObject>(Contract.plugin) {
        Property("Path", changes: .constant) { (object: PluginObject) in object.plugin.version.candidate.location }
        Property("Kinds") { (object: PluginObject) in object.facts.kinds }
        Property(
            "Enabled", get: { (object: PluginObject) in object.facts.isEnabled },
            set: { (object: PluginObject, _, isEnabled: Bool) in
                try object.plugin.supervisor?.set(object.plugin, enabled: isEnabled)
            })
        Property("State") { (object: PluginObject) in object.facts.state }
        Property("Error") { (object: PluginObject) in object.facts.error }
        Property("Pid") { (object: PluginObject) in object.facts.pid }
        Property("SDKVersion") { (object: PluginObject) in object.facts.sdkVersion }
        Property("Version") { (object: PluginObject) in object.facts.version }
        Property("Restarts") { (object: PluginObject) in object.facts.restarts }
        Property("StartReason") { (object: PluginObject) in object.facts.startReason }
        Property("Needs") { (object: PluginObject) in object.facts.permissions.needs.map(\.text) }
        Property("MayUse") { (object: PluginObject) in object.facts.permissions.mayUse.map(\.text) }
        Property("Reasons") { (object: PluginObject) in
            Dictionary(object.facts.permissions.reasons.map { ($0.text, $1) }) { first, _ in first }
        }
        Property("Granted") { (object: PluginObject) in object.facts.permissions.granted.sorted().map(\.text) }
        Property("Sandbox") { (object: PluginObject) in object.facts.sandbox }
        Property("SandboxGaps") { (object: PluginObject) in object.facts.gaps }
        Property("Problems") { (object: PluginObject) in object.facts.problems }
        Property("Upgrade") { (object: PluginObject) in object.facts.upgrade }
        Property("UpgradeError") { (object: PluginObject) in object.facts.upgradeError }
        Property("UpgradeVersion") { (object: PluginObject) in object.facts.upgradeVersion }
        Method("Restart") { (object: PluginObject, _) in
            try object.requireRunnable()
            try object.takeOverOrRestart()
        }
        Method("Grant", in: ["permissions"]) { (object: PluginObject, _, permissions: [String]) in
            try object.plugin.supervisor?.decide(permissions, true, of: object.plugin)
        }
        Method("Revoke", in: ["permissions"]) { (object: PluginObject, _, permissions: [String]) in
            try object.plugin.supervisor?.decide(permissions, false, of: object.plugin)
        }
        Method("Rescan", out: ["upgrade"]) { (object: PluginObject, _) -> String in
            object.plugin.supervisor?.rescan()
            return object.plugin.upgrade?.stage.rawValue ?? ""
        }
        DeferredMethod("Forget") { (object: PluginObject, invocation: VoidInvocation) in
            try object.forget(invocation)
        }
    }

    private func takeOverOrRestart() throws(CallError) {
        guard let upgrade = plugin.upgrade else { return plugin.restart() }
        guard upgrade.version.file != nil, upgrade.stage != .needsConsent else {
            throw CallError(
                .invalidAction,
                "plugin \(plugin.id) cannot be restarted, its new file is not used: \(upgrade.error); the old one goes on"
            )
        }
        plugin.takeOver("its new file takes over, the user restarts it")
    }

    private func forget(_ invocation: VoidInvocation) throws(CallError) {
        guard let supervisor = plugin.supervisor else { return invocation.reply() }
        try supervisor.forget(plugin) { [id = plugin.id] error in
            guard let error else { return invocation.reply() }
            invocation.fail(CallError.folderStays(of: id, error))
        }
    }

    private func requireRunnable() throws(CallError) {
        let id = plugin.id
        switch plugin.state {
        case .disabled: throw CallError(.invalidAction, "plugin \(id) is disabled, set Enabled first")
        case .incompatible:
            throw CallError(
                .invalidAction, "plugin \(id) is incompatible and cannot be restarted: \(plugin.error)")
        case .needsConsent:
            throw CallError(.invalidAction, "plugin \(id) cannot be restarted: \(plugin.error)")
        default: break
        }
        guard plugin.hasProvider else {
            throw CallError(
                .invalidAction,
                "plugin \(id) has a directory only and cannot be restarted: see Reload of \(Contract.directoryExtension)"
            )
        }
    }
}

extension CallError {
    static func folderStays(of plugin: String, _ error: SystemError) -> CallError {
        CallError(.actionFailed, "a folder of plugin \(plugin) is not removed: \(error)")
    }
}
