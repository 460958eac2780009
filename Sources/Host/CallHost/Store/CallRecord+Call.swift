// Makes records of calls.

import CallCore
import CallModel

extension CallRecord {
    /// - Parameters:
    ///   - openedAt: when the call began, until its provider reports it.
    ///   - duration: how long the call has been connected, in ms.
    ///   - screener: the name of who screened the call; "" for nobody.
    init(_ call: Call, openedAt: UInt64, duration: UInt64, screener: String) {
        self.init(
            call.id, provider: call.provider, direction: call.direction,
            startedAt: call.startedAt == 0 ? openedAt : call.startedAt)
        handle = call.handle
        name = call.callerName
        nameSource = call.nameSource
        video = call.video
        connectedAt = call.connectedAt
        screening = call.screening?.verdict
        filteredBy = screener
        guard call.hasEnded else { return }
        end = End(
            at: call.endedAt, reason: .ended(call.endReason ?? .failed), by: call.endedBy ?? .system, duration: duration
        )
    }

    /// - Parameter filter: the name of what filtered the call.
    init(_ call: FilteredCall, by filter: String) {
        self.init(call.call, provider: call.provider, direction: .incoming, startedAt: call.at.date)
        handle = call.handle
        name = call.callerName
        nameSource = call.nameSource
        video = call.hasVideo
        filteredBy = filter
        if case .screener = call.by { screening = ScreeningVerdict(.reject, reason: call.text) }
        end = End(at: call.at.date, reason: .filtered(call.reason), by: .policy)
    }
}
