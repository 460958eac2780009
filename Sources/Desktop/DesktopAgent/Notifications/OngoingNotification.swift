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
        let isHeld = call.state == .held
        let suggested = context.model.state.root.path("SuggestedResume")
        let isSuggested = isHeld && suggested == call.path
        var lines = isSuggested ? ["The other call has ended"] : []
        let provider = context.providerName(of: call)
        lines.append(call.connectedTimeOfDay.map { "Since \($0) via \(provider)" } ?? "Via \(provider)")
        if call.digitsWait, !context.hidesNames, !call.waitingDigits.isEmpty {
            lines.append("\(call.waitingDigits.untilWaitSign.now) is not sent yet")
        }
        let hangUp = Action(key: "hang-up", label: "Hang Up")
        // Low urgency: on GNOME a critical one would hide the next call that rings.
        return DesktopNotification(
            title: title(of: call, hidesNames: context.hidesNames), body: lines.joined(separator: "\n"),
            actions: isHeld
                ? resuming(call, context) + [hangUp] : sending(call) + [hangUp] + muting(call) + holding(call, context),
            command: isSuggested ? "callctl resume" : "callctl end", urgency: isSuggested ? .normal : .low,
            category: "call.ongoing", image: context.hidesNames ? "" : call.picture, stay: .ongoing)
    }

    private static func title(of call: PublishedCall, hidesNames: Bool) -> String {
        switch (call.state, hidesNames) {
        case (.held, true): "A call is on hold"
        case (.held, false): "\(call.caller.isEmpty ? "A call" : call.party) is on hold"
        case (_, true): "A call goes on"
        case (_, false): call.state.isDialing ? "Calling \(call.party)" : "Call with \(call.party)"
        }
    }

    /// The button for digits that wait behind the number.
    private static func sending(_ call: PublishedCall) -> [Action] {
        call.digitsWait && call.can.contains(.dtmf) ? [Action(key: "send-digits", label: "Send Digits")] : []
    }

    private static func muting(_ call: PublishedCall) -> [Action] {
        guard call.can.contains(.mute) else { return [] }
        return [call.muted ? Action(key: "unmute", label: "Unmute") : Action(key: "mute", label: "Mute")]
    }

    @LoopActor
    private static func holding(_ call: PublishedCall, _ context: DesktopContext) -> [Action] {
        if context.model.state.heldCall != nil, call.can.contains(.hold) { return [Action(key: "swap", label: "Swap")] }
        return call.can.contains(.hold) ? [Action(key: "hold", label: "Hold")] : []
    }

    @LoopActor
    private static func resuming(_ call: PublishedCall, _ context: DesktopContext) -> [Action] {
        guard call.can.contains(.resume) else { return [] }
        let isSwap = context.model.state.calls.values.contains { $0.state == .active }
        return [Action(key: "resume", label: isSwap ? "Swap" : "Resume")]
    }

    /// The notification of a call that has ended without the user's doing; nil for one that the user has ended, and for
    /// one that rang here, which was missed.
    static func ended(_ call: PublishedCall, hidesNames: Bool) -> DesktopNotification? {
        let wasConnected = call.connectedAt > 0
        guard call.hasEnded, call.endedBy != .user, wasConnected || call.isOutgoing else { return nil }
        let party = hidesNames ? "The far side" : call.caller.isEmpty ? "The far side" : call.party
        let title =
            switch (call.endReason, call.endDetail) {
            case (.remoteEnded, _) where wasConnected: "\(party) has ended the call"
            case (_, .busy): "\(party) is busy"
            case (_, .rejected): "\(party) has declined the call"
            case (.unanswered, _): "\(party) does not answer"
            case (.providerRestarted, _): "The call\(with(call, hidesNames)) has ended: its plugin was restarted"
            case (.failed, _), (.providerCrashed, _), (.timedOut, _):
                "The call\(with(call, hidesNames)) has failed"
            default: "The call\(with(call, hidesNames)) has ended"
            }
        return DesktopNotification(title: title, category: "call.ended", isTransient: true)
    }

    private static func with(_ call: PublishedCall, _ hidesNames: Bool) -> String {
        hidesNames || call.caller.isEmpty ? "" : " \(call.isOutgoing ? "to" : "with") \(call.party)"
    }
}

extension CallSystemState {
    /// The call that was held last; nil if none is held.
    var heldCall: PublishedCall? {
        calls.values.filter { $0.state == .held && $0.can.contains(.resume) }.max { $0.order < $1.order }
    }
}
