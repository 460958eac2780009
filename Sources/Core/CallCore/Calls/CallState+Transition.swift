// The life of one call: every state, every event, and where it leads.

import CallModel

/// What can happen to a call.
enum CallEvent: Sendable, Hashable, CaseIterable {
    case startFulfilled, connectingReported, connectedReported
    case answerPerformed, answerFulfilled
    case holdPerformed, holdFulfilled, holdRefused, heldByNetwork
    case resumePerformed, resumeFulfilled, resumeRefused, resumedByNetwork
    case joined, parted
    case endPerformed, ended
}

extension CallState {
    /// The state after `event`; nil if the event is impossible or no longer matters.
    func next(after event: CallEvent) -> CallState? {
        switch event {
        case .ended: self == .ended ? nil : .ended
        case .endPerformed: self == .ended || self == .ending ? nil : .ending
        default: nextBeforeEnd(after: event)
        }
    }

    private func nextBeforeEnd(after event: CallEvent) -> CallState? {
        switch self {
        case .starting: event == .startFulfilled ? .started : nil
        case .started:
            switch event {
            case .connectingReported: .connecting
            case .connectedReported: .active
            default: nil
            }
        case .connecting: event == .connectedReported ? .active : nil
        case .ringing: event == .answerPerformed ? .answering : nil
        case .answering: event == .answerFulfilled ? .active : nil
        case .active:
            switch event {
            case .holdPerformed: .holding
            case .heldByNetwork, .parted: .held
            default: nil
            }
        case .holding:
            switch event {
            case .holdFulfilled, .heldByNetwork: .held
            case .holdRefused: .active
            default: nil
            }
        case .held:
            switch event {
            case .resumePerformed: .resuming
            case .joined, .resumedByNetwork: .active
            default: nil
            }
        case .resuming:
            switch event {
            case .resumeFulfilled, .joined, .resumedByNetwork: .active
            case .resumeRefused, .heldByNetwork: .held
            default: nil
            }
        case .ending, .ended: nil
        }
    }
}
