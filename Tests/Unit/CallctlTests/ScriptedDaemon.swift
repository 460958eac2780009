// A service with the daemon's name and interfaces that does what a test tells it to.

import CallClient
import CallModel
import DBus
import EventLoop
import TestSupport

@testable import callctl

/// Owns the daemon's bus name and serves one provider, one plugin and the given calls. It records the requests, and
/// fails them with `refusal` if that is set.
@LoopActor
final class ScriptedDaemon {
    let bus: Bus
    /// Kept until its last user has gone.
    private let privateBus: PrivateBus
    let tree = ObjectTree()
    private(set) var requests: [String] = []
    var refusal: DBusError?
    var isSilent = false
    var doNotDisturb = false
    var doNotDisturbRules = VariantDictionary()
    /// The requests that get no answer.
    let waiting = Inbox<VoidInvocation>()
    private var pending: [VoidInvocation] = []

    init(on privateBus: PrivateBus) async throws {
        self.privateBus = privateBus
        bus = try await Bus.connect(to: privateBus.address)
        tree.serve(on: bus)
        tree.export(ScriptedRoot(daemon: self), at: DaemonPath.system, ScriptedRoot.interface, objectManager: true)
        let provider = ScriptedProvider(daemon: self)
        tree.export(provider, at: Sample.hotline, ScriptedProvider.interface)
        let plugin = ScriptedPlugin(daemon: self)
        tree.export(plugin, at: ScriptedPlugin.path, ScriptedPlugin.interface)
        _ = try await bus.requestName(Contract.busName)
    }

    func note(_ request: String) throws {
        requests.append(request)
        if let refusal { throw refusal }
    }

    func add(_ call: ScriptedCall) {
        tree.export(call, at: call.path, ScriptedCall.interface, ScriptedCall.identity)
    }

    func keepWaiting(_ invocation: VoidInvocation) {
        pending.append(invocation)
        waiting.put(invocation)
    }

    static let callEnded = Signal<ObjectPath, String, String>(
        Contract.callSystem, "CallEnded", args: ["call", "reason", "origin"])
    static let callFiltered = Signal<ObjectPath, String, String, Int64>(
        Contract.callSystem, "CallFiltered", args: ["provider", "reason", "by", "row"])
}

@LoopActor
final class ScriptedProvider {
    private unowned let daemon: ScriptedDaemon

    init(daemon: ScriptedDaemon) { self.daemon = daemon }

    static let interface = Interface<ScriptedProvider>(Contract.provider) {
        Property("Id") { _ in "Hotline" }
        Property("State") { _ in "ready" }
        Property("LocalizedName") { _ in "Hotline" }
        Property("SupportedHandleTypes") { _ in ["phone-number"] }
        Property("MaximumCallGroups") { _ in UInt32(2) }
        Property("MaximumCallsPerCallGroup") { _ in UInt32(5) }
        Property("CustomActions") { _ -> [VariantDictionary] in [["id": "simulate-incoming", "label": "Be called"]] }
        Method("PerformCustomAction", in: ["id", "args"], out: ["result"]) {
            (provider: ScriptedProvider, _, id: String, args: VariantDictionary) -> VariantDictionary in
            try provider.daemon.note("PerformCustomAction \(id) \(JSON(args).text)")
            return ["echo": Variant(args)]
        }
    }
}

@LoopActor
final class ScriptedPlugin {
    nonisolated static let path: ObjectPath = "/org/opencallkit/CallSystem1/plugins/Hotline"
    private unowned let daemon: ScriptedDaemon

    init(daemon: ScriptedDaemon) { self.daemon = daemon }

    static let interface = Interface<ScriptedPlugin>(Contract.plugin) {
        Property("Path") { _ in "/usr/lib/opencallkit/plugins/Hotline.callplugin" }
        Property("State") { _ in "quarantined" }
        Property("Error") { _ in "crashed 3 times within 60 s" }
        Property("Pid") { _ in UInt32(0) }
        Property("SDKVersion") { _ in "0.1.0" }
        Property("Restarts") { _ in UInt32(3) }
        Property("Needs") { _ in ["network"] }
        Property("MayUse") { _ in ["audio", "files:~/My Music"] }
        Property("Reasons") { _ in ["audio": "Lets you talk.\u{1B}[2J"] }
        Property("Granted") { _ in ["network"] }
        Property("Sandbox") { _ in "landlock" }
        Property("SandboxGaps") { _ in ["file-names", "threads"] }
        Method("Restart", in: [], out: []) { (plugin: ScriptedPlugin, _) in
            try plugin.daemon.note("Restart")
        }
        Method("Grant", in: ["permissions"], out: []) { (plugin: ScriptedPlugin, _, permissions: [String]) in
            try plugin.daemon.note("Grant \(permissions.joined(separator: " "))")
        }
        Method("Revoke", in: ["permissions"], out: []) { (plugin: ScriptedPlugin, _, permissions: [String]) in
            try plugin.daemon.note("Revoke \(permissions.joined(separator: " "))")
        }
        Method("Forget", in: [], out: []) { (plugin: ScriptedPlugin, _) in
            try plugin.daemon.note("Forget")
        }
    }
}
