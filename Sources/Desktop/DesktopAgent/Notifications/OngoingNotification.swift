// What the notifications of a call that goes on and of its end say.

import CallClient
import CallModel
import DBus
import EventLoop

extension DesktopNotification {
    /// The notification of a call that is dialed, active or held. It says since when, not how long: GNOME shows a
    /// notification that changes anew.
    @LoopActor
    static func ongoing(_ call: Record, _ context: DesktopContext) -> DesktopNotification {
        let isHeld = call.state == "held"
        let suggested = context.model.state.root.path("SuggestedResume")
        let isSuggested = isHeld && suggested == call.path
        var lines = isSuggested ? ["The other call has ended"] : []
        let provider = context.providerName(of: call)
        lines.append(call.connectedTime.map { "Since \($0) via \(provider)" } ?? "Via \(provider)")
        let hangUp = Action(key: "hang-up", label: "Hang Up")
        // Low urgency: on GNOME a critical one would hide the next call that rings.
        return DesktopNotification(
            title: title(of: call, hidesNames: context.hidesNames), body: lines.joined(separator: "\n"),
            actions: isHeld ? resuming(call, context) + [hangUp] : [hangUp] + muting(call) + holding(call, context),
            command: isSuggested ? "callctl resume" : "callctl end", urgency: isSuggested ? .normal : .low,
            category: "call.ongoing", image: context.hidesNames ? "" : call.picture, stay: .ongoing)
    }

    private static func title(of call: Record, hidesNames: Bool) -> String {
        switch (call.state, hidesNames) {
        case ("held", true): "A call is on hold"
        case ("held", false): "\(call.caller.isEmpty ? "A call" : call.party) is on hold"
        case (_, true): "A call goes on"
        case (_, false): call.isDialing ? "Calling \(call.party)" : "Call with \(call.party)"
        }
    }

    private static func muting(_ call: Record) -> [Action] {
        guard call.can("mute") else { return [] }
        return [call.flag("Muted") ? Action(key: "unmute", label: "Unmute") : Action(key: "mute", label: "Mute")]
    }

    @LoopActor
    private static func holding(_ call: Record, _ context: DesktopContext) -> [Action] {
        if context.model.state.heldCall != nil, call.can("hold") { return [Action(key: "swap", label: "Swap")] }
        return call.can("hold") ? [Action(key: "hold", label: "Hold")] : []
    }

    @LoopActor
    private static func resuming(_ call: Record, _ context: DesktopContext) -> [Action] {
        guard call.can("resume") else { return [] }
        let isSwap = context.model.state.calls.values.contains { $0.state == "active" }
        return [Action(key: "resume", label: isSwap ? "Swap" : "Resume")]
    }

    /// The notification of a call that has ended without the user's doing; nil for one that the user has ended, and for
    /// one that rang here, which was missed.
    static func ended(_ call: Record, hidesNames: Bool) -> DesktopNotification? {
        let wasConnected = call.count("ConnectedAt") > 0
        guard call.hasEnded, call.text("EndedBy") != "user", wasConnected || call.isOutgoing else { return nil }
        let party = hidesNames ? "The far side" : call.caller.isEmpty ? "The far side" : call.party
        let title =
            switch (call.text("EndReason"), call.text("EndDetail")) {
            case ("remote-ended", _) where wasConnected: "\(party) has ended the call"
            case (_, "busy"): "\(party) is busy"
            case (_, "rejected"): "\(party) has declined the call"
            case ("unanswered", _): "\(party) does not answer"
            case ("failed", _), ("provider-crashed", _), ("timed-out", _):
                "The call\(with(call, hidesNames)) has failed"
            default: "The call\(with(call, hidesNames)) has ended"
            }
        return DesktopNotification(title: title, category: "call.ended", isTransient: true)
    }

    private static func with(_ call: Record, _ hidesNames: Bool) -> String {
        hidesNames || call.caller.isEmpty ? "" : " \(call.isOutgoing ? "to" : "with") \(call.party)"
    }
}

extension Record {
    /// Orders calls by when they began.
    static func isOlder(_ one: Record, _ other: Record) -> Bool {
        (one.count("StartedAt"), one.id) < (other.count("StartedAt"), other.id)
    }
}

extension CallSystemState {
    /// The call that was held last; nil if none is held.
    var heldCall: Record? { calls.values.filter { $0.state == "held" && $0.can("resume") }.max(by: Record.isOlder) }
}
