// The text of watch events about calls, providers and plugins.

import CallClient
import DBus

extension WatchState {
    /// Returns the caller if known, the provider, and further notes.
    func introduction(of call: Record) -> String {
        let via = "via \(Record.id(of: call.path("Provider")))"
        let caller = call.caller.isEmpty ? via : "\(call.caller) \(via)"
        return ([caller] + call.notes).joined(separator: ", ")
    }

    static func text(ofProvider provider: Record) -> String {
        let name = provider.text("LocalizedName")
        let title = name.isEmpty || name == provider.id ? provider.id : "\(provider.id) (\(name))"
        return "\(title) \(provider.text("State"))"
    }

    static func text(ofPlugin plugin: Record) -> String {
        let (pid, error) = (plugin.number("Pid"), plugin.text("Error"))
        let text = "\(plugin.id) \(plugin.text("State"))"
        if pid != 0 { return "\(text), pid \(pid)" }
        return error.isEmpty ? text : "\(text), \(error)"
    }

    /// Returns what changed, in words; nil if only details changed. An end has an event of its own.
    static func text(of new: Record, after old: Record) -> String? {
        var parts: [String] = []
        if old.state != new.state, new.state != "ended" { parts.append("\(old.state) → \(new.stateText)") }
        if old.state == new.state, old.text("HeldBy") != new.text("HeldBy") { parts.append(new.stateText) }
        if old.flag("Muted") != new.flag("Muted") { parts.append(new.flag("Muted") ? "muted" : "unmuted") }
        if old.translationText != new.translationText {
            parts.append(new.translationText.map { "translated from \($0)" } ?? "no longer translated")
        }
        if old.flag("Video") != new.flag("Video") { parts.append(new.flag("Video") ? "video on" : "video off") }
        if old.flag("RemoteHeld") != new.flag("RemoteHeld") {
            parts.append(new.flag("RemoteHeld") ? "held by the far side" : "resumed by the far side")
        }
        if old.text("Group") != new.text("Group") {
            let group = new.text("Group")
            parts.append(group.isEmpty ? "no longer in a group" : "in group \(group.prefix(8))")
        }
        let mode = new.text("RingMode")
        if old.text("RingMode") != mode, !mode.isEmpty { parts.append("ringing \(mode)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
