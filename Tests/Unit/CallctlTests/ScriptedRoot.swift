// The root object of the scripted daemon.

import CallModel
import DBus
import EventLoop

@testable import callctl

/// References the daemon weakly, since the daemon keeps the tree that keeps this object.
@LoopActor
final class ScriptedRoot {
    private unowned let daemon: ScriptedDaemon

    init(daemon: ScriptedDaemon) { self.daemon = daemon }

    static let interface = Interface<ScriptedRoot>(Contract.callSystem) {
        Method("StartCallWith", in: ["handle", "options"], out: ["call"]) {
            (root: ScriptedRoot, _, handle: String, options: VariantDictionary) -> ObjectPath in
            try root.daemon.note("StartCall \(handle) \(JSON(options).text)")
            return Sample.path(ofCall: Sample.alice)
        }
        Method("RequestTransaction", in: ["actions", "options"], out: ["transaction", "calls"]) {
            (root: ScriptedRoot, _, actions: [Struct<String, VariantDictionary>], options: VariantDictionary)
                -> (String, [ObjectPath]) in
            let texts = actions.map { "\($0.fields.0) \(JSON($0.fields.1).text)" }
            try root.daemon.note("\(texts.joined(separator: ", ")) \(JSON(options).text)")
            return ("", [])
        }
        Method("SimulateTransaction", in: ["actions", "options"], out: ["plan"]) {
            (root: ScriptedRoot, _, actions: [Struct<String, VariantDictionary>], options: VariantDictionary)
                -> [VariantDictionary] in
            let texts = actions.map { action in
                let (kind, args) = action.fields
                return "\(kind) \(JSON(args).text)"
            }
            try root.daemon.note("SimulateTransaction \(texts.joined(separator: ", ")) \(JSON(options).text)")
            let steps = [("set-held", Sample.alice, UInt32(6)), ("answer", Sample.bob, UInt32(6))]
            return steps.map { kind, call, rule -> VariantDictionary in
                [
                    "kind": .string(kind), "call": .objectPath(Sample.path(ofCall: call)), "rule": .uint32(rule),
                    "provider": .objectPath(Sample.hotline), "args": Variant(VariantDictionary()),
                ]
            }
        }
        Method("EndCalls", in: ["states"], out: []) { (root: ScriptedRoot, _, states: [String]) in
            try root.daemon.note("EndCalls \(states.joined(separator: " "))")
        }
        Method("SilenceRinging", in: [], out: []) { (root: ScriptedRoot, _) in
            try root.daemon.note("SilenceRinging")
        }
        Property("Version", changes: .constant) { _ in "1.2.3" }
        Property("Policy", changes: .constant) { _ in "desktop" }
        Property("QuietSources") { _ in ["GNOME"] }
        Property("DoNotDisturb", get: { $0.daemon.doNotDisturb }, set: { $0.daemon.doNotDisturb = $2 })
        Property(
            "DoNotDisturbRules",
            get: { (root: ScriptedRoot) in root.daemon.doNotDisturbRules },
            set: { (root: ScriptedRoot, _, rules: VariantDictionary) in
                try root.daemon.note("DoNotDisturbRules \(JSON(rules).text)")
                root.daemon.doNotDisturbRules.merge(rules) { $1 }
            })
        ScriptedDaemon.callEnded
        ScriptedDaemon.callFiltered
    }
}
