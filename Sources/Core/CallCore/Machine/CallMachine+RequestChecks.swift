// Checks of a request on its arrival, whatever is under way.

import CallModel

extension CallMachine {
    /// - Throws: the refusal that nothing under way can avert. In a transaction of several actions the
    ///   later ones are only checked for their calls: what they need may come from the earlier ones.
    func check(_ request: Request) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !request.actions.isEmpty else { throw CallError(.emptyTransaction, "the transaction has no actions") }
        guard request.actions.count <= limits.actionsPerTransaction else {
            throw CallError(
                .limitsExceeded,
                "\(request.actions.count) actions, at most \(limits.actionsPerTransaction) fit in a transaction")
        }
        try checkOwnership(of: request)
        try checkShare(of: request)
        var starting: Set<CallID> = []
        for (index, action) in request.actions.enumerated() {
            switch action {
            case .start(let call, let start):
                guard starting.insert(call).inserted, !isTaken(call) else {
                    throw CallError(.callUUIDAlreadyExists, "call \(call) exists or existed")
                }
                let provider = try provider(for: start, request.conflict)
                guard !isEmergency(start.handle) else { continue }
                try checkRoom(for: provider)
                try checkStarts(by: owner(of: request))
                if index == 0 { try refuseSecondDialing() }
            case .answer, .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer,
                .answerTransfer:
                if starting.contains(action.call) { continue }
                if let state = request.requiredState { try require(state, of: try live(action.call)) }
                if index == 0 { try checkPossible(action) } else { _ = try live(action.call) }
            }
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
    func isTaken(_ id: CallID) -> Bool {
        calls.knew(id) || admission.isWaiting(id)
            || work.contains { transaction in
                transaction.actions.contains { $0.kind == .start && $0.call == id }
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
