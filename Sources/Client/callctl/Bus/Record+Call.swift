// The properties of a call: those of Call1, and those of CallIdentity1 once they are read.

import DBus
import EventLoop

extension Record {
    var state: String { text("State") }
    var hasEnded: Bool { state == "ended" }
    var isLive: Bool { !hasEnded }
    var isOutgoing: Bool { text("Direction") == "outgoing" }

    func can(_ word: String) -> Bool { words("Can").contains(word) }

    /// The other party's name, or its handle's value if the name is unknown; "" if neither is known.
    var caller: String {
        let name = text("CallerName")
        return name.isEmpty ? handle.value : name
    }

    var handle: (type: String, value: String) { handle("Handle") }

    var handleText: String { Self.text(of: handle) }

    /// With whom the far side asks to continue the call.
    var transferRequest: (type: String, value: String) { handle("TransferRequest") }
    var transferRequestText: String { Self.text(of: transferRequest) }

    /// The handle that was called at first and has forwarded the call.
    var divertedByText: String { Self.text(of: handle("DivertedBy")) }

    private static func text(of handle: (type: String, value: String)) -> String {
        handle.value.isEmpty ? "" : "\(handle.type):\(handle.value)"
    }

    /// Returns whether people mean this handle when they write `text`: its value, with its type before it, or the same
    /// number with or without spaces and dashes.
    static func isHandle(_ text: String, _ handle: (type: String, value: String)) -> Bool {
        let (wanted, value) = (text.lowercased(), handle.value.lowercased())
        guard !value.isEmpty else { return false }
        return wanted == value || wanted == self.text(of: handle).lowercased() || isSameNumber(wanted, value)
    }

    private static func isSameNumber(_ one: String, _ other: String) -> Bool {
        let signs: Set<Character> = [" ", "-", "(", ")", ".", "/"]
        let digits = one.filter { !signs.contains($0) }
        return digits.contains(where: \.isNumber) && digits == other.filter { !signs.contains($0) }
    }

    /// The state with its detail: `held by arbiter`, `ended: remote-ended`.
    var stateText: String {
        switch state {
        case "held":
            let holder = text("HeldBy")
            return holder.isEmpty ? state : "\(state) by \(holder)"
        case "ended":
            let reason = text("EndReason")
            return reason.isEmpty ? state : "\(state): \(reason)"
        default: return state
        }
    }

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

    /// The languages of the translation; nil if the call is not translated.
    var translationText: String? {
        guard let translation: VariantDictionary = value("Translation"), !translation.isEmpty else { return nil }
        let (local, remote) = (
            translation["local-language", default: ""], translation["remote-language", default: ""]
        )
        return "\(local) to \(remote)"
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
