// A Perform that its provider has not answered yet, and its outcome.

import CallModel

/// A Perform that its provider has not answered yet.
package struct PendingAction: Sendable {
    package enum Purpose: Sendable, Hashable {
        case requested
        /// Clears the way for another call.
        case clearing
        case compensation
        /// Tells a provider that its call has ended or stays held; its answer is not awaited.
        case notice
    }

    package internal(set) var performed: PerformedAction
    package let purpose: Purpose
    /// Why it is performed; becomes the cause of its effects on the call.
    let cause: Cause
    let askedAt: Instant
    /// What an `end` will be recorded as.
    var endReason = EndReason.localEnded
    /// For a resume, who held the call before, and for which other one; for a call that is put back on hold, who holds it.
    var heldBy = HeldBy.user
    var heldFor: CallID?
    /// Of a set-group, the call that is to be joined and its group.
    var partners: [CallID] = []

    init(_ performed: PerformedAction, _ purpose: Purpose, at now: Instant, cause: Cause) {
        self.performed = performed
        self.purpose = purpose
        self.cause = cause
        askedAt = now
    }

    var id: ActionID { performed.id }
    var call: CallID { performed.action.call }
    var kind: ActionKind { performed.action.kind }
}

/// The outcome of an action.
enum Outcome: Sendable, Hashable {
    /// `date`: 0 = now.
    case fulfilled(date: WallTime, engine: TranslationEngine = .default)
    /// `reason` in the provider's own words.
    case refused(RefusalWord? = nil, reason: String)
    case timedOut
    /// The event says how.
    case providerLost(Cause.Event)
    case callEnded
}
