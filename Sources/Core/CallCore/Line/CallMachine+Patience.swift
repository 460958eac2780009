// How long a user's request waits for what others let it wait for.

import CallModel

extension CallMachine {
    /// Remembers that a provider answered an action of the line. What it asked for itself shows nothing.
    mutating func noteAnswer(to action: PendingAction) {
        guard standing.isAwaited(action), !standing.isOwn(action), let provider = providers[action.performed.provider]
        else { return }
        _ = standing.silence.note(action.kind, of: standing.answerer(provider), answered: true)
    }

    /// Remembers that a provider did not answer, unless it hardly had time.
    ///
    /// - Returns: whether it had.
    mutating func noteSilence(after action: PendingAction) -> Bool {
        guard standing.isAwaited(action), now.uptime - action.askedAt.uptime >= UInt64(deadlines[.urgent]) * 1_000
        else {
            return false
        }
        guard let provider = providers[action.performed.provider],
            standing.silence.note(action.kind, of: standing.answerer(provider), answered: false)
        else { return true }
        effects.note(
            .silentProvider, .provider(provider.id),
            "the provider did not answer \(action.kind.rawValue) in time; the user's requests no longer wait for that")
        return true
    }

    /// Brings the deadline of an action forward for which a user's request waits.
    mutating func hasten(_ action: PendingAction, for user: TransactionID) {
        switch standing.patience(with: action) {
        case .deadline: break
        case .urgent: hasten(action.id, noteUrgentLimit(of: user))
        case .none: hasten(action.id, now)
        }
    }

    /// Notes when the user's request stops waiting for those that get little time.
    mutating func noteUrgentLimit(of id: TransactionID) -> Instant {
        let limit = standing.urgentLimit(of: id)
        work.update(id) { $0.patientUntil = limit }
        return limit
    }

    /// Hastens what the first request in the queue waits for, if a user's waits its turn behind it.
    mutating func hastenForUsers() {
        guard let head = work.queue.first.flatMap({ work[$0] }), let awaited = head.waitingFor?.action,
            let action = work[awaited], let user = work.userWaiting(behind: head)
        else { return }
        hasten(action, for: user)
    }
}
