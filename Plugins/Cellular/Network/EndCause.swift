// EndCause: why a call has ended, as far as a modem tells.

import OpenCallKit

enum EndCause: Hashable, Sendable {
    /// The far side, or this side from elsewhere.
    case ended
    case refusedOrBusy
    /// The call could not be made: nobody answers the number, or the far side is busy. Modems do not tell which.
    case notReached
    case networkFailed
    case transferred
    /// The modem or its service has gone.
    case modemGone
    case unknown
}

/// How a call's end is reported.
struct ReportedEnd: Hashable, Sendable {
    var reason: CXCallEndedReason
    var detail: CXCallEndedDetails.Reason?

    /// - Parameter wasConnected: whether the two sides have talked.
    init(isOutgoing: Bool, wasConnected: Bool, cause: EndCause) {
        switch cause {
        case .modemGone, .networkFailed: (reason, detail) = (.failed, .network)
        case .refusedOrBusy where isOutgoing && !wasConnected: (reason, detail) = (.remoteEnded, .busy)
        case .notReached where !wasConnected: (reason, detail) = (.failed, nil)
        default: (reason, detail) = (wasConnected ? .remoteEnded : .unanswered, nil)
        }
    }
}
