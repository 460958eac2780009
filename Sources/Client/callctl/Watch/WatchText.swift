// The text of watch events about calls, providers and plugins.

import CallClient
import CallModel
import DBus

extension WatchState {
    /// Returns the caller if known, the provider, and further notes.
    func introduction(of call: PublishedCall) -> String {
        let via = "via \(call.provider?.rawValue ?? "")"
        let caller = call.caller.isEmpty ? via : "\(call.caller) \(via)"
        return ([caller] + call.notes).joined(separator: ", ")
    }

    static func text(of provider: PublishedProvider) -> String {
        let (id, name) = (provider.id.rawValue, provider.name)
        return "\(name == id ? id : "\(id) (\(name))") \(provider.state.rawValue)"
    }

    static func text(of plugin: Record) -> String {
        let (pid, error) = (plugin.number("Pid"), plugin.text("Error"))
        let text = "\(plugin.id) \(plugin.text("State"))"
        if pid != 0 { return "\(text), pid \(pid)" }
        return error.isEmpty ? text : "\(text), \(error)"
    }

    /// Returns what changed, in words; nil if only details changed. An end has an event of its own.
    static func text(of new: PublishedCall, after old: PublishedCall) -> String? {
        var parts: [String] = []
        if old.state != new.state, new.state != .ended { parts.append("\(old.state.rawValue) → \(new.stateText())") }
        // That the other call has ended is told of that call.
        let isForAnother = new.heldFor != nil && old.heldFor != new.heldFor
        if old.state == new.state, old.heldBy != new.heldBy || isForAnother { parts.append(new.stateText()) }
        if old.muted != new.muted { parts.append(new.muted ? "muted" : "unmuted") }
        if old.translationText != new.translationText {
            parts.append(new.translationText.map { "translated from \($0)" } ?? "no longer translated")
        }
        if old.video != new.video { parts.append(new.video ? "video on" : "video off") }
        if old.remoteHeld != new.remoteHeld {
            parts.append(new.remoteHeld ? "held by the far side" : "resumed by the far side")
        }
        if old.group != new.group {
            parts.append(new.group.isEmpty ? "no longer in a group" : "in group \(new.group.prefix(8))")
        }
        if old.ringMode != new.ringMode, let mode = new.ringMode { parts.append("ringing \(mode.rawValue)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
