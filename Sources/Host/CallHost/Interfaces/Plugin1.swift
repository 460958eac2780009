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
        let restarts: UInt32

        @LoopActor init(_ plugin: Plugin) {
            kinds = plugin.kinds
            isEnabled = plugin.isEnabled
            state = plugin.state.rawValue
            error = plugin.error
            pid = UInt32(clamping: plugin.pid)
            sdkVersion = plugin.sdkVersion
            restarts = plugin.restarts
        }
    }

    init(_ plugin: Plugin) {
        self.plugin = plugin
        facts = Facts(plugin)
    }

    nonisolated static func path(of id: String) -> ObjectPath { ObjectPath.plugins.appending(id) ?? .root }

    /// Takes the plugin's new values over and returns the names of the properties that change with them.
    func takeChanges() -> [String] {
        let old = PluginObject(plugin)
        (old.facts, facts) = (facts, old.facts)
        return Self.interface.differences(between: old, and: self)
    }

    static let interface = Interface<PluginObject>(Contract.plugin) {
        Property("Path", changes: .constant) { (object: PluginObject) in object.plugin.file.location }
        Property("Kinds") { (object: PluginObject) in object.facts.kinds }
        Property(
            "Enabled", get: { (object: PluginObject) in object.facts.isEnabled },
            set: { (object: PluginObject, _, isEnabled: Bool) in
                object.plugin.supervisor?.set(object.plugin, enabled: isEnabled)
            })
        Property("State") { (object: PluginObject) in object.facts.state }
        Property("Error") { (object: PluginObject) in object.facts.error }
        Property("Pid") { (object: PluginObject) in object.facts.pid }
        Property("SDKVersion") { (object: PluginObject) in object.facts.sdkVersion }
        Property("Restarts") { (object: PluginObject) in object.facts.restarts }
        Method("Restart") { (object: PluginObject, _) in
            try object.requireRunnable()
            object.plugin.restart()
        }
    }

    private func requireRunnable() throws(CallError) {
        let id = plugin.id
        switch plugin.state {
        case .disabled: throw CallError(.invalidAction, "plugin \(id) is disabled, set Enabled first")
        case .incompatible:
            throw CallError(
                .invalidAction, "plugin \(id) is incompatible and cannot be restarted: \(plugin.error)")
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
