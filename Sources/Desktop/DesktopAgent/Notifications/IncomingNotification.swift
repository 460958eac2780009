// What the notification of a call that rings says.

import CallClient
import CallModel
import DBus
import EventLoop

extension DesktopNotification {
    static let silence = Action(key: "silence", label: "Silence")

    /// The notification of a ringing call, with the buttons that the daemon offers.
    ///
    /// - Parameters:
    ///   - context: with all calls: what is said of the others is what their states are.
    @LoopActor
    static func incoming(_ call: PublishedCall, _ context: DesktopContext) -> DesktopNotification {
        let hidesNames = context.hidesNames
        let word = call.emergency ? "emergency call" : call.video ? "video call" : "call"
        var lines = ["\(word.prefix(1).uppercased())\(word.dropFirst()) via \(context.providerName(of: call))"]
        if !hidesNames {
            let handle = call.handle?.value.displayable ?? ""
            if !handle.isEmpty, handle != call.party { lines.append(handle) }
            if let diverted = call.divertedBy { lines.append("Forwarded by \(diverted.value.displayable)") }
        }
        lines += others(than: call, context)
        let isSilent = call.ringMode == .silent
        return DesktopNotification(
            title: hidesNames ? "Incoming \(word)" : "Incoming \(word) from \(call.party)",
            body: lines.joined(separator: "\n"), actions: answers(to: call) + (isSilent ? [] : [silence]),
            click: isSilent ? nil : silence, command: "callctl answer", urgency: .critical, category: "call.incoming",
            image: hidesNames ? "" : call.picture, stay: .ringing)
    }

    private static func answers(to call: PublishedCall) -> [Action] {
        let labels = [
            ("answer", "Answer"), ("hold-and-answer", "Hold & Answer"), ("end-and-answer", "End & Answer"),
            ("decline", "Decline"),
        ]
        let options = call.answerOptions.words
        return labels.filter { options.contains($0.0) }.map { Action(key: $0.0, label: $0.1) }
    }

    /// What other calls do. One that rings is named: a server that shows one notification at a time hides the other.
    @LoopActor
    private static func others(than call: PublishedCall, _ context: DesktopContext) -> [String] {
        let others = context.model.state.calls.values.filter { $0.id != call.id }.sorted { $0.order < $1.order }
        var lines: [String] = []
        if others.contains(where: { $0.state.hasLine && !$0.state.isDialing }) {
            lines.append("Another call is active")
        } else if others.contains(where: \.state.isDialing) {
            lines.append("Another call is being made")
        } else if others.contains(where: { $0.state == .held }) {
            lines.append("Another call is on hold")
        }
        let ringing = others.filter { $0.state == .ringing }
        let names = context.hidesNames ? [] : ringing.filter(\.isIdentified).prefix(maximumNamed)
        if names.count == ringing.count, !names.isEmpty {
            lines += names.map { "Another call is ringing: \($0.party) (\(context.providerName(of: $0)))" }
        } else if !ringing.isEmpty {
            lines.append(ringing.count == 1 ? "Another call is ringing" : "\(ringing.count) other calls are ringing")
        }
        return lines
    }

    /// The most other calls that are named.
    private static var maximumNamed: Int { 3 }

    /// The notification of a request that was refused, with the daemon's words.
    static func failure(_ action: String, _ error: DBusError) -> DesktopNotification {
        DesktopNotification(
            title: "\(action) failed", body: error.message.displayable, category: "call", icon: "dialog-error")
    }
}
