// What tables show of a call, and the JSON of objects.

import CallClient
import CallModel
import DBus
import EventLoop

extension ObjectPath {
    /// The object's path and id: the JSON that commands print after acting on it.
    var reference: JSON {
        .object([JSON.Member("object", .string(text)), JSON.Member("id", .string(id))])
    }

    /// Whatever the object is, it has an id.
    fileprivate func json(_ members: [JSON.Member]) -> JSON {
        let hasID = members.contains { $0.key == "id" }
        return .object(
            [JSON.Member("object", .string(text))] + (hasID ? [] : [JSON.Member("id", .string(id))]) + members)
    }
}

extension Record {
    var members: [JSON.Member] { properties.propertyMembers }
    var json: JSON { path.json([JSON.Member("id", .string(id))] + members) }
    var reference: JSON { path.reference }
}

extension PublishedProvider {
    var members: [JSON.Member] { properties(for: .everybody).propertyMembers }
    var json: JSON { path.json(members) }
}

extension PublishedCall {
    /// Without who is at the far side, until that was read.
    var members: [JSON.Member] {
        let identity = isIdentified ? properties(for: .trusted) : [:]
        return properties(for: .everybody).merging(identity) { first, _ in first }.propertyMembers
    }
    var json: JSON { path.json(members) }

    var stateStyle: Style {
        switch state {
        case .active: .green
        case .ringing, .answering, .starting, .started, .connecting: .yellow
        case .holding, .held, .resuming: .cyan
        case .ending, .ended: .dim
        }
    }

    /// The other party for people: the name and the handle's value, if known.
    var party: String { .party(callerName, details.handle?.value ?? "") }

    /// The time since the call was connected, or until it ended; nil if it is not connected yet. The dates count only for
    /// when it ended: it is shown for five seconds after that, whatever the wall clock says.
    func durationText(at now: MonotonicTime) -> String? {
        guard details.connectedAtMonotonic != 0 else { return nil }
        let connected = MonotonicTime(nanoseconds: 0)
            .advanced(by: .microseconds(Int64(clamping: details.connectedAtMonotonic)))
        let elapsed = max(.zero, now.duration(since: connected))
        guard details.endedAt != 0 else { return elapsed.text }
        let told = Duration.microseconds(Int64(clamping: details.endedAt.span(since: connectedAt)))
        return min(elapsed, max(told, elapsed - .seconds(5))).text
    }

    /// Further facts, each in a few words: `emergency`, `muted`, `en-GB to sv`, `video`, `far side holds`,
    /// `call waiting`.
    var notes: [String] {
        var notes: [String] = []
        if emergency { notes.append("emergency") }
        if details.muted { notes.append("muted") }
        if let translationText { notes.append(translationText) }
        if details.video { notes.append("video") }
        if details.remoteHeld { notes.append("far side holds") }
        if ringMode == .waiting { notes.append("call waiting") }
        if ringMode == .silent { notes.append("silent") }
        if !group.isEmpty { notes.append("group \(group.prefix(8))") }
        return notes
    }
}
