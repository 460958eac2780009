// What tables show of a call, and the JSON of an object.

import CallClient
import DBus
import EventLoop

extension Record {
    var json: JSON { .object([JSON.Member("object", .string(path.text))] + properties.propertyMembers) }

    var stateStyle: Style {
        switch state {
        case "active": .green
        case "ringing", "answering", "starting", "started", "connecting": .yellow
        case "holding", "held", "resuming": .cyan
        case "ending", "ended": .dim
        default: .plain
        }
    }

    /// The time since the call was connected, or until it ended; nil if it is not connected yet.
    func durationText(at now: WallTime) -> String? {
        time("ConnectedAt").map { (time("EndedAt") ?? now).durationText(since: $0) }
    }

    /// Further facts, each in a few words: `emergency`, `muted`, `en-GB to sv`, `video`, `far side holds`,
    /// `call waiting`.
    var notes: [String] {
        var notes: [String] = []
        if flag("Emergency") { notes.append("emergency") }
        if flag("Muted") { notes.append("muted") }
        if let translationText { notes.append(translationText) }
        if flag("Video") { notes.append("video") }
        if flag("RemoteHeld") { notes.append("far side holds") }
        let mode = text("RingMode")
        if mode == "waiting" { notes.append("call waiting") }
        if mode == "silent" { notes.append("silent") }
        let group = text("Group")
        if !group.isEmpty { notes.append("group \(group.prefix(8))") }
        return notes
    }
}
