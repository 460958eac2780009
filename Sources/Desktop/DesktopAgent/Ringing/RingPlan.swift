// RingPlan: what is to be heard of the calls that there are.

import CallClient
import DBus
import Sound

/// The lasting sound that calls ask for. The daemon decides how each call rings; this chooses among them.
enum RingPlan: Equatable {
    case nothing
    /// The ringtone of a call.
    case ringtone(ObjectPath)
    /// Another call rings while one is active.
    case callWaiting
    /// An outgoing call rings at the far side.
    case ringback

    init(for calls: some Collection<Record>) {
        let ringing = calls.filter { $0.state == "ringing" }
        if let call = ringing.first(where: { $0.text("RingMode") == "audible" }) {
            self = .ringtone(call.path)
        } else if ringing.contains(where: { $0.text("RingMode") == "waiting" }) {
            self = .callWaiting
        } else if calls.contains(where: { $0.isOutgoing && $0.text("Progress") == "alerting" }) {
            self = .ringback
        } else {
            self = .nothing
        }
    }

    /// Returns the tone for the end of a call; nil for an end that needs none: the user's own, that of a call that rang
    /// here, and any while another call goes on.
    static func tone(forEndOf call: Record, others: some Collection<Record>) -> Tone? {
        let isAlone = !others.contains { $0.isLive && $0.path != call.path && $0.state != "ringing" }
        guard call.hasEnded, isAlone, call.text("EndedBy") != "user" else { return nil }
        if call.count("ConnectedAt") > 0 { return .ended }
        guard call.isOutgoing else { return nil }
        return call.text("EndDetail") == "busy" ? .busy : .failed
    }
}
