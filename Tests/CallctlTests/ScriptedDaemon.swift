// A service with the daemon's name and interfaces that does what a test tells it to.

import CallModel
import DBus
import EventLoop
import TestSupport

/// Owns the daemon's bus name and serves one provider, one plugin and the calls it is given. It notes the requests that
/// reach it and fails them with `refusal` if that is set.
@LoopActor
final class ScriptedDaemon {
    let bus: Bus
    let tree = ObjectTree()
    private(set) var requests: [String] = []
    var refusal: DBusError?
    var isSilent = false
    var doNotDisturb = false
    /// The invocations that are left without an answer.
    let waiting = Inbox<VoidInvocation>()
    private var pending: [VoidInvocation] = []

    init(on address: String) async throws {
        bus = try await Bus.connect(to: address)
        tree.serve(on: bus)
        tree.export(self, at: Session.root, Self.root, objectManager: true)
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

    private static let root = Interface<ScriptedDaemon>(Contract.callSystem) {
        Method("StartCall", in: ["handle", "options"], out: ["call"]) {
            (daemon: ScriptedDaemon, _, handle: String, options: VariantDictionary) in
            try daemon.note("StartCall \(handle) \(JSON(options).text)")
            return Sample.path(ofCall: Sample.alice)
        }
        Method("SimulateTransaction", in: ["actions", "options"], out: ["plan"]) {
            (daemon: ScriptedDaemon, _, actions: [Struct<String, VariantDictionary>], options: VariantDictionary) in
            let texts = actions.map { action in
                let (kind, args) = action.fields
                return "\(kind) \(JSON(args).text)"
            }
            try daemon.note("SimulateTransaction \(texts.joined(separator: ", ")) \(JSON(options).text)")
            let steps = [("set-held", Sample.alice, UInt32(6)), ("answer", Sample.bob, UInt32(6))]
            return steps.map { kind, call, rule -> VariantDictionary in
                [
                    "kind": .string(kind), "call": .objectPath(Sample.path(ofCall: call)), "rule": .uint32(rule),
                    "provider": .objectPath(Sample.hotline), "args": Variant(VariantDictionary()),
                ]
            }
        }
        Method("EndCalls", in: ["states"], out: []) { (daemon: ScriptedDaemon, _, states: [String]) in
            try daemon.note("EndCalls \(states.joined(separator: " "))")
        }
        Method("SilenceRinging", in: [], out: []) { (daemon: ScriptedDaemon, _) in
            try daemon.note("SilenceRinging")
        }
        Property("DoNotDisturb", get: { $0.doNotDisturb }, set: { $0.doNotDisturb = $2 })
        callEnded
    }
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
        Property("CustomActions") { _ in [Struct("simulate-incoming", "Be called")] }
        Method("PerformCustomAction", in: ["id", "args"], out: ["result"]) {
            (provider: ScriptedProvider, _, id: String, args: VariantDictionary) in
            try provider.daemon.note("PerformCustomAction \(id) \(JSON(args).text)")
            return ["echo": Variant(args)] as VariantDictionary
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
        Method("Restart", in: [], out: []) { (plugin: ScriptedPlugin, _) in
            try plugin.daemon.note("Restart")
        }
    }
}
