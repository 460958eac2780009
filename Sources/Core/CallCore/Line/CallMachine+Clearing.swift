// The way to a free line: one clearance at a time, each awaited; all at once for an emergency.

import CallModel

extension CallMachine {
    /// The next step that clears the line for `call` and those that are to share it, or nil when it is free.
    mutating func clearLine(
        for call: CallStanding, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction
    ) throws(CallError) -> Step? {
        let newcomer = newcomer(call, with: other, purpose, transaction)
        let clearances = try clearances(for: newcomer)
        if newcomer.isEmergency { return clearForEmergency(clearances, transaction) }
        for clearance in clearances {
            switch clearance {
            case .wait(let id):
                if let pending = work.pendingAction(on: id) { return .wait(pending.id, .clearing) }
            case .hold(let id, let rule):
                return .perform(.setHeld(id, true), .clearing, forOthers(transaction, rule))
            case .end(let id, let rule, let decider):
                if let pending = work.pendingAction(on: id, .end) { return .wait(pending.id, .clearing) }
                let decision = clearing(transaction, rule, decider)
                guard isUnperformedStart(id) else { return .perform(.end(id, reason: ""), .clearing, decision) }
                endUnperformed(id, decision, for: transaction, newcomer: call.id)
            }
        }
        return nil
    }

    /// Rule 19: everything at once. All of it together is waited for no longer than `urgent` says, and ringing calls are
    /// not waited for.
    private mutating func clearForEmergency(_ clearances: [Clearance], _ transaction: Transaction) -> Step? {
        let limit = transaction.urgentUntil ?? now.advanced(byMilliseconds: deadlines[.urgent])
        var transaction = transaction
        transaction.urgentUntil = limit
        work.update(transaction.id) { $0.urgentUntil = limit }
        if let grouping = work.actions.first(where: { $0.kind == .setGroup }) {
            hasten(grouping.id, limit)
            return .wait(grouping.id, .clearing)
        }
        var awaited: ActionID?
        for clearance in clearances {
            switch clearance {
            case .wait(let id): awaited = awaited ?? work.pendingAction(on: id)?.id
            case .hold(let id, let rule):
                let action = perform(
                    .setHeld(id, true), .clearing, forOthers(transaction, rule), for: transaction)
                awaited = awaited ?? action
            case .end(let id, let rule, let decider):
                let decision = clearing(transaction, rule, decider)
                if isUnperformedStart(id) {
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
        return .wait(awaited, .clearing)
    }

    /// Brings an action's deadline forward for an emergency call.
    mutating func hasten(_ id: ActionID, _ limit: Instant) {
        let deadline = limit.uptime > now.uptime ? limit : now
        if work.hasten(id, to: deadline) { effects.append(.arm(.action(id), at: deadline)) }
    }

    func clearances(for newcomer: Newcomer) throws(CallError) -> [Clearance] {
        do throws(Refusal) {
            return try Arbiter.clearances(for: newcomer, among: calls.situation, under: policy)
        } catch {
            throw error.error(for: newcomer, among: calls.situation, under: policy)
        }
    }

    func newcomer(
        _ call: CallStanding, with other: Party = Party(), _ purpose: Newcomer.Purpose, _ transaction: Transaction
    ) -> Newcomer {
        let rule: Rule? = if case .providerResume = transaction.origin { .network } else { nil }
        return Newcomer(
            purpose: purpose, members: Party(one: call.id, other: other.other, group: other.group),
            provider: call.provider,
            maximumCallGroups: providers[call.provider]?.configuration.maximumCallGroups ?? 0,
            // An emergency call is in no group.
            isEmergency: call.emergency, conflict: transaction.conflict, holdRule: rule)
    }

    // MARK: Who decides

    /// An action on a call that makes room for another.
    func forOthers(_ transaction: Transaction, _ rule: Rule) -> Decision {
        Decision(by: .arbiter(for: transaction.origin.requester), rule: rule)
    }

    /// The end of a call in the way.
    private func clearing(_ transaction: Transaction, _ rule: Rule, _ decider: Clearance.Decider) -> Decision {
        let agent = isShuttingDown ? Cause.Agent.system : decider.agent(for: transaction.origin)
        return Decision(by: agent, rule: rule)
    }

    /// The requested action itself, or one of those that it takes.
    func requested(_ transaction: Transaction, _ action: CallAction, _ rule: Rule? = nil) -> Decision {
        let isEndInShutdown = isShuttingDown && action.kind == .end
        let rule = transaction.origin == .adoption ? .adoption : rule
        return Decision(by: isEndInShutdown ? .system : transaction.origin.agent, rule: rule)
    }
}
