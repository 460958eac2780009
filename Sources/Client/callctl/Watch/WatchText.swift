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

    /// - Parameter old: the plugin before a change; nil for one that was there or has come. Why it starts is told once.
    static func text(of plugin: Record, after old: Record? = nil) -> String {
        let (pid, error, version) = (plugin.number("Pid"), plugin.text("Error"), plugin.text("Version"))
        let why: String? =
            switch plugin.text("StartReason") {
            case "crashed": "started again after a crash"
            case "restarted": "restarted by you"
            case "upgraded": "upgraded" + (version.isEmpty ? "" : " to \(version)")
            case "permissions": "its permissions have changed"
            case "enabled": "enabled by you"
            case "forgotten": "its data was removed"
            default: nil
            }
        let starts =
            ["starting", "ready", "restarting"].contains(plugin.state) && old.map { $0.state != plugin.state } == true
        let facts = ["\(plugin.id) \(plugin.state)", pid == 0 ? error : "pid \(pid)", starts ? why ?? "" : ""]
        return facts.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Returns what changed, in words; nil if only details changed. An end has an event of its own.
    static func text(of new: PublishedCall, after old: PublishedCall) -> String? {
        var parts: [String] = []
        if old.state != new.state, new.state != .ended { parts.append("\(old.state.rawValue) → \(new.stateText())") }
        // That the other call has ended is told of that call.
        let isForAnother = new.heldFor != nil && old.heldFor != new.heldFor
        if old.state == new.state, old.heldBy != new.heldBy || isForAnother { parts.append(new.stateText()) }
        if old.state == new.state, old.progressText != new.progressText, let progress = new.progressText {
            parts.append(progress)
        }
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
