// Checks of a request on its arrival, whatever is under way.

import CallModel

extension Standing {
    /// - Throws: the refusal that nothing under way can avert. In a transaction of several actions the
    ///   later ones are only checked for their calls: what they need may come from the earlier ones.
    func check(_ request: Request, waiting: [WaitingCall]) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !request.actions.isEmpty else { throw CallError(.emptyTransaction, "the transaction has no actions") }
        guard request.actions.count <= limits.actionsPerTransaction else {
            throw CallError(
                .limitsExceeded,
                "\(request.actions.count) actions, at most \(limits.actionsPerTransaction) fit in a transaction")
        }
        try checkOwnership(of: request)
        try checkShare(of: request)
        for index in request.actions.indices {
            do throws(CallError) {
                try checkAction(index, of: request, waiting)
            } catch {
                throw naming(index, of: request.actions, in: error)
            }
        }
    }

    /// An error about one of several actions, with its name. That of an emergency begins with what to do instead.
    func naming(_ index: Int, of actions: [CallAction], in error: CallError) -> CallError {
        guard actions.count > 1, actions.indices.contains(index), !isEmergency(actions[index]) else { return error }
        return error.ofAction(index, of: actions.count, actions[index].kind)
    }

    private func checkAction(_ index: Int, of request: Request, _ waiting: [WaitingCall]) throws(CallError) {
        let (action, isFirst) = (request.actions[index], index == 0)
        let starting = request.actions.prefix(index).filter { $0.kind == .start }.map(\.call)
        switch action {
        case .start(let call, let start):
            guard !starting.contains(call), !isTaken(call, waiting) else {
                throw CallError(.callUUIDAlreadyExists, "call \(call) exists or existed")
            }
            let provider = try provider(for: start, request.conflict)
            guard !isEmergency(start.handle) else { return }
            try checkRoom(for: provider)
            try checkStarts(by: owner(of: request))
            if isFirst { try refuseSecondDialing() }
        case .answer, .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer:
            if starting.contains(action.call) { return }
            if let state = request.requiredState { try require(state, of: try live(action.call)) }
            if isFirst { try checkPossible(action) } else { _ = try live(action.call) }
        }
    }

    private func require(_ state: CallState, of call: CallStanding) throws(CallError) {
        guard call.state == state else {
            throw CallError(
                .invalidAction, "call \(call.id) is \(call.state.rawValue), the request is for a \(state.rawValue) call"
            )
        }
    }

    /// Whether a call has or had this identifier, or a call that waits to ring or a start that waits its turn has it.
    func isTaken(_ id: CallID, _ waiting: [WaitingCall]) -> Bool {
        calls.knew(id) || waiting.contains { $0.id == id }
            || work.contains { transaction in
                transaction.actions.contains { $0.kind == .start && $0.call == id }
            }
    }

    /// Whether there is room for a call to ring now.
    func checkRinging(
        _ provider: Provider, isEmergency: Bool, besides others: [WaitingCall]
    ) throws(CallError) {
        if !isEmergency {
            if let emergency = calls.standings.first(where: { $0.emergency && $0.state != .ringing }) {
                throw CallError(.emergencyInProgress, "emergency call in progress: \(Refusal.list([emergency]))")
            }
            try checkRoom(for: provider, besides: others)
            guard provider.configuration.maximumCallGroups > 0 else {
                throw CallError(
                    .maximumCallGroupsReached, "provider \(provider.id) allows 0 call groups, it takes no calls")
            }
            if policy.secondRinging == .isRefused, let other = calls.situation.ringing.first {
                throw CallError(
                    .limitsExceeded, "policy \(policy.name) lets one call ring at a time: \(Refusal.list([other]))")
            }
        }
        let own =
            calls.situation.ringing.count { $0.provider == provider.id } + others.count { $0.provider == provider.id }
        guard isEmergency || own < limits.ringingCallsPerProvider else {
            throw CallError(.limitsExceeded, "\(own) calls of provider \(provider.id) are ringing already")
        }
    }

    /// Whether all that is requested is to hold calls that are on hold.
    func isHeldAlready(_ request: Request) -> Bool {
        guard request.actions.count == 1, case .setHeld(let call, true)? = request.actions.first else { return false }
        return calls.members(with: call).allSatisfy { $0.state == .held }
    }

    /// Rule 19: whether the action starts or answers an emergency call.
    func isEmergency(_ action: CallAction) -> Bool {
        switch action {
        case .start(_, let request): isEmergency(request.handle)
        case .answer(let call): calls.standing(of: call)?.emergency ?? false
        case .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer: false
        }
    }

    /// Rule 3, at once: a call that is dialing now is in the way, unless something under way ends it.
    private func refuseSecondDialing() throws(CallError) {
        let dialing = calls.situation.line.filter { $0.isDialing && !$0.emergency }
        guard dialing.isEmpty || work.contains(where: \.endsSomething) else {
            throw CallError(
                .outgoingCallInProgress, "an outgoing call is not yet connected: \(Refusal.list(dialing))")
        }
    }
}

extension Transaction {
    fileprivate var endsSomething: Bool { actions.contains { $0.kind == .end } }
}
