// What the notification of a call says.

import CallClient
import CallModel
import DBus
import Files

extension DesktopNotification {
    /// The notification of a ringing call, with the buttons that the daemon offers.
    ///
    /// - Parameters:
    ///   - provider: the name of the call's provider for people.
    ///   - isAnonymous: whether to leave out who calls, since the screen is locked.
    static func incoming(_ call: Record, provider: String, isAnonymous: Bool) -> DesktopNotification {
        let caller = isAnonymous ? "" : call.caller.displayable
        let kind = call.flag("Emergency") ? "Emergency call" : call.flag("Video") ? "Video call" : "Call"
        let handle = isAnonymous ? "" : call.handle.value.displayable
        var lines = ["\(kind) via \(provider.displayable)"]
        if !handle.isEmpty, handle != caller { lines.append(handle) }
        let diverted = call.handle("DivertedBy").value.displayable
        if !isAnonymous, !diverted.isEmpty { lines.append("Forwarded by \(diverted)") }
        if call.text("RingMode") == "waiting" { lines.append("Another call is active") }
        return DesktopNotification(
            title: caller.isEmpty ? (isAnonymous ? "Incoming call" : "Unknown caller") : caller,
            body: lines.joined(separator: "\n"), actions: answers(to: call), command: "callctl answer",
            urgency: call.text("RingMode") == "silent" ? .normal : .critical, category: "call.incoming",
            image: isAnonymous ? "" : image(of: call), isResident: true, isLasting: true)
    }

    private static func answers(to call: Record) -> [Action] {
        let labels = [
            ("answer", "Answer"), ("hold-and-answer", "Hold & Answer"), ("end-and-answer", "End & Answer"),
            ("decline", "Decline"),
        ]
        let options = call.words("AnswerOptions")
        let offered = labels.filter { options.contains($0.0) }.map { Action(key: $0.0, label: $0.1) }
        return call.text("RingMode") == "silent" ? offered : [Action(key: "default", label: "Silence")] + offered
    }

    /// The notification that suggests to go on with a held call.
    static func resume(_ call: Record, provider: String, isAnonymous: Bool) -> DesktopNotification {
        let caller = isAnonymous || call.caller.isEmpty ? "A call" : call.caller.displayable
        return DesktopNotification(
            title: "\(caller) is on hold", body: "The other call has ended. \(provider.displayable)",
            actions: [Action(key: "resume", label: "Resume")], command: "callctl resume", category: "call.ongoing",
            icon: "call-start", isLasting: true)
    }

    /// The notification of a request that was refused, with the daemon's words.
    static func failure(_ action: String, _ error: DBusError) -> DesktopNotification {
        DesktopNotification(
            title: "\(action) failed", body: error.message.displayable, category: "call", icon: "dialog-error")
    }

    /// The absolute path of a picture that is there; "" if the call has none. Servers could hang at a FIFO.
    private static func image(of call: Record) -> String {
        let path = call.text("Image")
        guard path.hasPrefix("/"), path.utf8.count < 4_096, let file = try? FileStatus(path) else { return "" }
        return file.kind == .regular ? path : ""
    }
}
