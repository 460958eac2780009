// What the notification of a call that rings says.

import CallClient
import CallModel
import DBus
import EventLoop

extension DesktopNotification {
    static let silence = Action(key: "silence", label: CallWords.english.silence)

    /// The notification of a ringing call, with the buttons that the daemon offers.
    ///
    /// - Parameters:
    ///   - context: with all calls: what is said of the others is what their states are.
    @LoopActor
    static func incoming(_ call: PublishedCall, _ context: DesktopContext) -> DesktopNotification {
        let (words, hidesNames) = (CallWords.english, context.hidesNames)
        var lines = [words.kind(of: call, with: context.providerName(of: call))]
        if !hidesNames {
            let handle = words.handle(of: call)
            if !handle.isEmpty { lines.append(handle) }
            if let forwarding = words.forwarding(of: call) { lines.append(forwarding) }
        }
        lines += words.others(
            than: call, among: context.model.state.calls.values, naming: hidesNames ? 0 : maximumNamed,
            provider: context.providerName)
        let isSilent = call.ringMode == .silent
        return DesktopNotification(
            title: words.incoming(call, hidesNames: hidesNames),
            body: lines.joined(separator: "\n"), actions: answers(to: call) + (isSilent ? [] : [silence]),
            click: isSilent ? nil : silence, command: "callctl answer", urgency: .critical, category: "call.incoming",
            image: hidesNames ? "" : call.picture, stay: .ringing)
    }

    private static func answers(to call: PublishedCall) -> [Action] {
        AnswerOptions.words.filter { call.answerOptions.contains($0.0) }.map {
            Action(key: $0.1, label: CallWords.english.button(for: $0.0))
        }
    }

    /// The most other calls that are named: a server that shows one notification at a time hides the other.
    private static var maximumNamed: Int { 3 }

    /// The notification of a request that was refused, with the daemon's words.
    static func failure(_ action: String, _ error: DBusError) -> DesktopNotification {
        DesktopNotification(
            title: "\(action) failed", body: error.message.displayable, category: "call", icon: "dialog-error")
    }
}
