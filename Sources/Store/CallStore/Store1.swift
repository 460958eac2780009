// org.opencallkit.Store1: the methods that callkitd calls.

import CallModel
import CallWire
import DBus
import EventLoop
import WorkerLaunch

@LoopActor
final class StoreObject {
    static let path = ObjectPath.store

    static let directoryChanged = Signal<String, VariantDictionary>(
        Contract.store, PrivateMember.Store.directoryChanged, args: ["plugin", "report"])

    private unowned let server: StoreServer

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<StoreObject>(Contract.store) {
        Method(PrivateMember.Store.lookUp, in: ["handle-type", "handle"], out: ["facts"]) {
            (object: StoreObject, _, type: String, value: String) throws(CallError) -> VariantDictionary in
            let isWithheld = type.isEmpty && value.isEmpty
            let handle = isWithheld ? nil : try Handle(wire: Struct(type, value))
            return object.server.lookUp(handle).wire
        }
        DeferredMethod(PrivateMember.Store.preferredProvider, in: ["handle-type", "handle"], out: ["provider"]) {
            (object: StoreObject, invocation: Invocation<String>, type: String, value: String) throws(CallError) in
            object.server.preferredProvider(of: try Handle(wire: Struct(type, value))) { $0.answer(invocation) }
        }
        DeferredMethod(PrivateMember.Store.record, in: ["row"], out: ["id"]) {
            (object: StoreObject, invocation: Invocation<Int64>, row: VariantDictionary) throws(CallError) in
            object.server.recents.record(object.server.named(try CallRecord(wire: row))) { invocation.reply($0) }
        }
        DeferredMethod(PrivateMember.Store.recent, in: ["id"], out: ["row"]) {
            (object: StoreObject, invocation: Invocation<VariantDictionary>, id: Int64) in
            object.server.recents.row(id) { $0.map(\.wire).answer(invocation) }
        }
        Method(PrivateMember.Store.setExtensions, in: ["worker", "deadline", "extensions"], out: ["reports"]) {
            (object: StoreObject, _, worker: String, deadline: UInt32, extensions: [DirectoryPlugin.Wire])
                throws(CallError) -> [String: VariantDictionary] in
            var plugins: [String: DirectoryPlugin] = [:]
            for wire in extensions {
                let plugin = try DirectoryPlugin(wire: wire)
                plugins[plugin.id] = plugins[plugin.id] ?? plugin
            }
            let directories = object.server.directories
            directories.set(worker: worker, deadline: .milliseconds(deadline), plugins)
            return Dictionary(directories.present.map { ($0.id, $0.report) }) { first, _ in first }
        }
        DeferredMethod(PrivateMember.Store.setStatus, in: ["plugin", "status"]) {
            (object: StoreObject, invocation: VoidInvocation, plugin: String, status: String) throws(CallError) in
            guard let isEnabled = ["enabled": true, "disabled": false][status] else {
                throw CallError(
                    .invalidArguments, "Status is \"\(status.excerpt)\", expected \"enabled\" or \"disabled\"")
            }
            try object.server.directories.setEnabled(plugin, isEnabled) { $0.answer(invocation) }
        }
        DeferredMethod(PrivateMember.Store.reloadDirectory, in: ["plugin"]) {
            (object: StoreObject, invocation: VoidInvocation, plugin: String) throws(CallError) in
            try object.server.directories.reload(plugin) { $0.answer(invocation) }
        }
        StoreObject.directoryChanged
    }
}
