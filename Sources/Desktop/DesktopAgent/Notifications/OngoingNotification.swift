// What the notifications of a call that goes on and of its end say.

import CallClient
import CallModel
import DBus
import EventLoop

extension DesktopNotification {
    /// The notification of a call that is dialed, active or held. It says since when, not how long: GNOME shows a
    /// notification that changes anew.
    @LoopActor
    static func ongoing(_ call: PublishedCall, _ context: DesktopContext) -> DesktopNotification {
        let words = CallWords.english
        let isHeld = call.state == .held
        let suggested = context.model.state.root.path("SuggestedResume")
        let isSuggested = isHeld && suggested == call.path
        var lines = isSuggested ? ["The other call has ended"] : []
        let provider = context.providerName(of: call)
        lines.append(call.connectedTimeOfDay.map { "Since \($0) via \(provider)" } ?? "Via \(provider)")
        if call.digitsWait, !context.hidesNames, !call.waitingDigits.isEmpty {
            lines.append(words.unsent(call.waitingDigits.untilWaitSign.now))
        }
        let hangUp = Action(key: "hang-up", label: words.hangUp)
        // Low urgency: on GNOME a critical one would hide the next call that rings.
        return DesktopNotification(
            title: words.ongoing(call, hidesNames: context.hidesNames), body: lines.joined(separator: "\n"),
            actions: isHeld
                ? resuming(call, context) + [hangUp] : sending(call) + [hangUp] + muting(call) + holding(call, context),
            command: isSuggested ? "callctl resume" : "callctl end", urgency: isSuggested ? .normal : .low,
            category: "call.ongoing", image: context.hidesNames ? "" : call.picture, stay: .ongoing)
    }

    /// The button for digits that wait behind the number.
    private static func sending(_ call: PublishedCall) -> [Action] {
        call.digitsWait && call.can.contains(.dtmf)
            ? [Action(key: "send-digits", label: CallWords.english.sendDigits)] : []
    }

    private static func muting(_ call: PublishedCall) -> [Action] {
        guard call.can.contains(.mute) else { return [] }
        return [
            call.muted
                ? Action(key: "unmute", label: CallWords.english.unmute)
                : Action(key: "mute", label: CallWords.english.mute)
        ]
    }

    @LoopActor
    private static func holding(_ call: PublishedCall, _ context: DesktopContext) -> [Action] {
        if context.model.state.heldCall != nil, call.can.contains(.hold) {
            return [Action(key: "swap", label: CallWords.english.swap)]
        }
        return call.can.contains(.hold) ? [Action(key: "hold", label: CallWords.english.hold)] : []
    }

    @LoopActor
    private static func resuming(_ call: PublishedCall, _ context: DesktopContext) -> [Action] {
        guard call.can.contains(.resume) else { return [] }
        let isSwap = context.model.state.calls.values.contains { $0.state == .active }
        return [Action(key: "resume", label: isSwap ? CallWords.english.swap : CallWords.english.resume)]
    }

    /// The notification of a call that has ended without the user's doing; nil for one that the user has ended, and for
    /// one that rang here, which was missed.
    static func ended(_ call: PublishedCall, hidesNames: Bool) -> DesktopNotification? {
        CallWords.english.end(of: call, hidesNames: hidesNames).map {
            DesktopNotification(title: $0, category: "call.ended", isTransient: true)
        }
    }
}

extension CallSystemState {
    /// The call that was held last; nil if none is held.
    var heldCall: PublishedCall? {
        calls.values.filter { $0.state == .held && $0.can.contains(.resume) }.max { $0.order < $1.order }
    }
}
