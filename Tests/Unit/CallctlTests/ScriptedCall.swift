// A call of the scripted daemon.

import CallClient
import CallModel
import DBus
import EventLoop

@testable import callctl

@LoopActor
final class ScriptedCall {
    let id: String
    let name: String
    private unowned let daemon: ScriptedDaemon
    private(set) var state: String
    private let can: [String]
    private var isMuted = false
    private(set) var holder = ""

    init(_ id: String, _ state: String, can: [String], name: String, in daemon: ScriptedDaemon) {
        (self.id, self.state, self.can, self.name, self.daemon) = (id, state, can, name, daemon)
    }

    var path: ObjectPath { Sample.path(ofCall: id) }

    func change(to state: String) {
        self.state = state
        daemon.tree.propertiesChanged(at: path, Contract.call, ["State"])
    }

    func hold(by holder: String) {
        self.holder = holder
        change(to: holder.isEmpty ? "active" : "held")
    }

    private func note(_ request: String) throws {
        try daemon.note("\(id.prefix(8)) \(request)")
    }

    static let interface = Interface<ScriptedCall>(Contract.call) {
        Property("Id", changes: .constant) { $0.id }
        Property("State") { $0.state }
        Property("Direction", changes: .constant) { _ in "incoming" }
        Property("Provider", changes: .constant) { _ in Sample.hotline }
        Property("Can") { $0.can }
        Property("Muted") { $0.isMuted }
        Property("HeldBy") { $0.holder }
        Property("ConnectedAt") { $0.state == "ringing" ? 0 : WallClock.microseconds - 65_000_000 }
        Property("ConnectedAtMonotonic") {
            $0.state == "ringing" ? 0 : MonotonicTime.now.advanced(by: .seconds(-65)).nanoseconds / 1_000
        }
        DeferredMethod("AnswerWith", in: ["options"], out: []) {
            (call: ScriptedCall, invocation: VoidInvocation, options: VariantDictionary) in
            if call.daemon.isSilent { return call.daemon.keepWaiting(invocation) }
            do {
                try call.note("Answer \(JSON(options).text)")
                call.change(to: "active")
                invocation.reply()
            } catch {
                invocation.fail(error)
            }
        }
        Method("End", in: [], out: []) { (call: ScriptedCall, _) in try call.note("End") }
        Method("Reject", in: ["reason"], out: []) { (call: ScriptedCall, _, reason: String) in
            try call.note("Reject \(reason)")
        }
        Method("SetHeld", in: ["on_hold"], out: []) { (call: ScriptedCall, _, isHeld: Bool) in
            try call.note("SetHeld \(isHeld)")
            call.hold(by: isHeld ? "user" : "")
        }
        Method("SetMuted", in: ["muted"], out: []) { (call: ScriptedCall, _, isMuted: Bool) in
            try call.note("SetMuted \(isMuted)")
            call.isMuted = isMuted
        }
        Method("GroupWith", in: ["call"], out: []) { (call: ScriptedCall, _, other: ObjectPath) in
            try call.note("GroupWith \(other.id.prefix(8))")
        }
        Method("Ungroup", in: [], out: []) { (call: ScriptedCall, _) in try call.note("Ungroup") }
        Method("PlayDTMF", in: ["digits"], out: []) { (call: ScriptedCall, _, digits: String) in
            try call.note("PlayDTMF \(digits)")
        }
        Method("SetTranslating", in: ["translating", "local_language", "remote_language"], out: []) {
            (call: ScriptedCall, _, isTranslating: Bool, local: String, remote: String) in
            try call.note("SetTranslating \(isTranslating) '\(local)' '\(remote)'")
        }
        Method("Explain", in: [], out: ["causes"]) { (call: ScriptedCall, _) in
            ["reported by Hotline", "held for \u{1B}another"].map { text -> VariantDictionary in
                ["at": .uint64(0), "text": .string(text)]
            }
        }
    }

    static let identity = Interface<ScriptedCall>(Contract.callIdentity, announcesValues: false) {
        Property("Handle", changes: .invalidates) { _ in Struct("phone-number", "555") }
        Property("CallerName", changes: .invalidates) { $0.name }
    }
}
