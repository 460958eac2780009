// org.opencallkit.Plugin1: how a plugin fares, and its switch.

import CallModel
import CallWire
import DBus
import EventLoop
import WorkerLaunch

@LoopActor
final class PluginObject {
    let plugin: Plugin

    init(_ plugin: Plugin) { self.plugin = plugin }

    nonisolated static func path(of id: String) -> ObjectPath { ObjectPath.plugins.appending(id) ?? .root }

    static let interface = Interface<PluginObject>(Contract.plugin) {
        Property("Path", changes: .constant) { (object: PluginObject) in object.plugin.file.location }
        Property("State") { (object: PluginObject) in object.plugin.state.rawValue }
        Property("Error") { (object: PluginObject) in object.plugin.error }
        Property("Pid") { (object: PluginObject) in UInt32(clamping: object.plugin.pid) }
        Property("SDKVersion") { (object: PluginObject) in object.plugin.sdkVersion }
        Property("Restarts") { (object: PluginObject) in object.plugin.restarts }
        Method("Enable") { (object: PluginObject, _) in
            try object.requireUsable("enabled")
            object.plugin.enable()
        }
        Method("Disable") { (object: PluginObject, _) in
            try object.requireProvider("disabled")
            object.plugin.supervisor?.withdrawProviders(of: object.plugin)
            object.plugin.disable()
        }
        Method("Restart") { (object: PluginObject, _) in
            try object.requireUsable("restarted")
            guard object.plugin.state != .disabled else {
                throw CallError(.invalidAction, "plugin \(object.plugin.id) is disabled, enable it first")
            }
            object.plugin.restart()
        }
    }

    private func requireUsable(_ verb: String) throws(CallError) {
        try requireProvider(verb)
        guard plugin.state != .incompatible else {
            throw CallError(
                .invalidAction, "plugin \(plugin.id) is incompatible and cannot be \(verb): \(plugin.error)")
        }
    }

    private func requireProvider(_ verb: String) throws(CallError) {
        guard plugin.state != .directory else {
            throw CallError(
                .invalidAction,
                "plugin \(plugin.id) is a call directory and cannot be \(verb) here: see SetEnabled of \(Contract.directory)"
            )
        }
    }
}
