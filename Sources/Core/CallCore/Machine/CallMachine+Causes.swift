// The chain of causes: what is noted whenever a call changes its state.

public import CallModel

extension CallMachine {
    /// Why a call is in its state, oldest first; empty for a call that is not there.
    public func causes(of id: CallID) -> [Cause] { calls.slot(of: id).map { calls.slots[$0].causes.all } ?? [] }

    /// What brought a call into the state that it has.
    public func latestCause(of id: CallID) -> Cause? { calls.slot(of: id).flatMap { calls.slots[$0].causes.last } }

    /// The clients that any call's causes name.
    public var mentionedClients: Set<String> {
        var names: Set<String> = []
        for slot in calls.slots {
            for cause in slot.causes.all { if case .client(let name)? = cause.requester { names.insert(name) } }
        }
        return names
    }

    /// Adds a link to a call's chain.
    mutating func explain(_ id: CallID, _ cause: Cause) {
        guard let slot = calls.slot(of: id), let state = calls[slot: slot]?.state else { return }
        var cause = cause
        cause.at = now
        cause.state = state
        cause.endReason = calls[slot: slot]?.endReason
        calls.slots[slot].causes.append(cause, limit: limits.causesPerCall)
    }

    /// Why an action is performed.
    func cause(
        of action: CallAction, _ purpose: PendingAction.Purpose, rule: UInt32, for transaction: Transaction
    ) -> Cause {
        Cause(
            .asked(action.deed), by: agent(of: action, purpose, rule: rule, for: transaction), rule: rule,
            newcomer: purpose == .clearing ? transaction.current?.call : nil, transaction: transaction.id)
    }

    private func agent(
        of action: CallAction, _ purpose: PendingAction.Purpose, rule: UInt32, for transaction: Transaction
    ) -> Cause.Agent {
        let requester = transaction.origin.requester
        if action.kind == .end {
            if isShuttingDown { return .system }
            if rule == 19 { return .arbiter(for: requester) }
            if rule != 0, transaction.conflict != .end { return .policy(for: requester) }
            // End & Accept is the user's own wish.
            return requester.map { .requester($0) } ?? .arbiter(for: nil)
        }
        guard purpose == .requested else { return .arbiter(for: requester) }
        switch transaction.origin {
        case .request(let requester): return .requester(requester)
        case .providerResume(let id): return .requester(.provider(id))
        case .autoResume: return .arbiter(for: nil)
        case .shutdown: return .system
        }
    }
}

extension Cause {
    /// Who asked for it, directly or not.
    public var requester: Requester? {
        switch by {
        case .requester(let requester): requester
        case .arbiter(let requester), .policy(let requester): requester
        case .provider, .remote, .deadline, .system: nil
        }
    }
}

extension TransactionOrigin {
    var requester: Requester? {
        switch self {
        case .request(let requester): requester
        case .providerResume(let id): .provider(id)
        case .autoResume, .shutdown: nil
        }
    }
}

extension CallAction {
    var deed: Cause.Deed {
        switch self {
        case .start: .start
        case .answer: .answer
        case .end: .end
        case .setHeld(_, let onHold): onHold ? .hold : .resume
        // A mute, tones and a translation change no state; a group action does, for its members.
        case .setGroup, .setMuted, .playDTMF, .setTranslating: .group
        }
    }
}
