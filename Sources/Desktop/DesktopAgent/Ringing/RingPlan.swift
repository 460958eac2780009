// RingPlan: what is to be heard of the calls that there are.

import CallClient
import CallModel
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

    init(for calls: some Collection<PublishedCall>) {
        let ringing = calls.filter { $0.state == .ringing }
        if let call = ringing.first(where: { $0.ringMode == .audible }) {
            self = .ringtone(call.path)
        } else if ringing.contains(where: { $0.ringMode == .waiting }) {
            self = .callWaiting
        } else if calls.contains(where: { $0.isOutgoing && $0.progress == .alerting }) {
            self = .ringback
        } else {
            self = .nothing
        }
    }

    /// Returns the tone for the end of a call; nil for an end that needs none: the user's own, that of a call that rang
    /// here, and any while another call goes on.
    static func tone(forEndOf call: PublishedCall, others: some Collection<PublishedCall>) -> Tone? {
        let isAlone = !others.contains { $0.isLive && $0.id != call.id && $0.state != .ringing }
        guard call.hasEnded, isAlone, call.endedBy != .user else { return nil }
        if call.connectedAt > 0 { return .ended }
        guard call.isOutgoing else { return nil }
        return call.endDetail == .busy ? .busy : .failed
    }
}
