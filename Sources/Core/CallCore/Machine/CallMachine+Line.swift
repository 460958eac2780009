// The way to a free line: one clearance at a time, each awaited; all at once for an emergency.

import CallModel

extension CallMachine {
    /// The next deed to clear the line for `call` and those who are to share it, or nil when it is free.
    mutating func clearLine(
        for call: Call, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction
    ) throws(CallError) -> Step? {
        let newcomer = newcomer(call, with: other, purpose, transaction)
        let clearances = try clearances(for: newcomer)
        if newcomer.isEmergency { return clearForEmergency(clearances, transaction) }
        for clearance in clearances {
            switch clearance {
            case .wait(let id):
                if let pending = pendingAction(on: id) { return .wait(pending, .clearing) }
            case .hold(let id, let rule): return .perform(.setHeld(id, true), .clearing, rule: rule)
            case .end(let id, let rule):
                if let pending = pendingAction(on: id, .end) { return .wait(pending, .clearing) }
                guard isUnperformedStart(id) else { return .perform(.end(id, reason: ""), .clearing, rule: rule) }
                endUnperformed(id, rule: rule, for: transaction)
            }
        }
        return nil
    }

    /// Rule 19: everything at once, and all of it together is waited for no longer than `urgent` says; ringing calls not
    /// at all.
    private mutating func clearForEmergency(_ clearances: [Clearance], _ transaction: Transaction) -> Step? {
        let limit = transaction.urgentUntil ?? now.advanced(byMilliseconds: deadlines[.urgent])
        var transaction = transaction
        transaction.urgentUntil = limit
        transactions[transaction.id]?.urgentUntil = limit
        if let grouping = actions.values.first(where: { $0.kind == .setGroup }) {
            hasten(grouping.id, limit)
            return .wait(grouping.id, .clearing)
        }
        var awaited: ActionID?
        for clearance in clearances {
            switch clearance {
            case .wait(let id): awaited = awaited ?? pendingAction(on: id)
            case .hold(let id, let rule):
                let action = perform(.setHeld(id, true), .clearing, rule: rule, for: transaction)
                awaited = awaited ?? action
            case .end(let id, let rule):
                if isUnperformedStart(id) {
                    endUnperformed(id, rule: rule, for: transaction)
                    continue
                }
                let isRinging = calls.state(of: id) == .ringing
                let action = perform(.end(id, reason: ""), .clearing, rule: rule, for: transaction)
                if !isRinging { awaited = awaited ?? action }
            }
        }
        guard let awaited else { return nil }
        hasten(awaited, limit)
        return .wait(awaited, .clearing)
    }

    /// Brings an action's deadline forward for an emergency call.
    private mutating func hasten(_ id: ActionID, _ limit: Instant) {
        let deadline = limit.uptime > now.uptime ? limit : now
        guard let action = actions[id], action.performed.deadline.uptime > deadline.uptime else { return }
        let hastened = action.due(at: deadline)
        actions[id] = hastened
        calls.replace(hastened)
        effects.append(.arm(.action(id), at: deadline))
    }

    func clearances(for newcomer: Newcomer) throws(CallError) -> [Clearance] {
        do throws(Refusal) {
            return try Arbiter.clearances(for: newcomer, among: calls, under: policy)
        } catch {
            throw error.error(for: newcomer, among: calls, under: policy)
        }
    }

    func newcomer(
        _ call: Call, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction
    ) -> Newcomer {
        let rule: UInt32? = if case .providerResume = transaction.origin { 13 } else { nil }
        return Newcomer(
            purpose: purpose, members: Party(one: call.id, other: other.other, group: other.group),
            provider: call.provider,
            maximumCallGroups: providers[call.provider]?.configuration.maximumCallGroups ?? 0,
            // An emergency call is in no group.
            isEmergency: call.emergency, conflict: transaction.conflict, holdRule: rule)
    }
}
