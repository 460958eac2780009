// The way to a free line: one clearance at a time, each awaited; all at once for an emergency.

import CallModel

extension CallMachine {
    /// Rule 19: everything at once. All of it together is waited for no longer than `urgent` says, and ringing calls are
    /// not waited for.
    mutating func clearForEmergency(_ clearances: [Clearance], _ transaction: Transaction) -> ActionID? {
        let limit = transaction.urgentUntil ?? now.advanced(byMilliseconds: deadlines[.urgent])
        var transaction = transaction
        transaction.urgentUntil = limit
        work.update(transaction.id) { $0.urgentUntil = limit }
        if let grouping = work.actions.first(where: { $0.kind == .setGroup }) {
            hasten(grouping.id, limit)
            return grouping.id
        }
        var awaited: ActionID?
        for clearance in clearances {
            switch clearance {
            case .wait(let id): awaited = awaited ?? work.pendingAction(on: id)?.id
            case .hold(let id, let rule):
                let action = perform(
                    .setHeld(id, true), .clearing, standing.forOthers(transaction, rule), for: transaction)
                awaited = awaited ?? action
            case .end(let id, let rule, let decider):
                let decision = standing.clearing(transaction, rule, decider)
                if standing.isUnperformedStart(id) {
                    endUnperformed(id, decision, for: transaction, newcomer: transaction.current?.call)
                    continue
                }
                let isRinging = calls.standing(of: id)?.state == .ringing
                let action = perform(.end(id, reason: ""), .clearing, decision, for: transaction)
                if !isRinging { awaited = awaited ?? action }
            }
        }
        guard let awaited else { return nil }
        hasten(awaited, limit)
        return awaited
    }

    /// Brings an action's deadline forward for an emergency call.
    mutating func hasten(_ id: ActionID, _ limit: Instant) {
        let deadline = limit.uptime > now.uptime ? limit : now
        if work.hasten(id, to: deadline) { effects.append(.arm(.action(id), at: deadline)) }
    }
}
