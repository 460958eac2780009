// Requests: checked on arrival, then put where they belong.

import CallModel

extension CallMachine {
    mutating func take(_ request: Request, reply: ReplyID) {
        counters.transaction += 1
        let id = TransactionID(counters.transaction)
        do throws(CallError) {
            try check(request)
            if !isRehearsal, request.actions.count > 1 || request.replyMode == .accepted {
                _ = try rehearse(request).get()
            }
        } catch {
            replies.append(.reply(reply, .failed(error)))
            return
        }
        remember(request, as: id)
        var transaction = Transaction(id: id, origin: .request(request.requester), actions: request.actions)
        transaction.conflict = request.conflict
        transaction.timeout = request.timeout
        if request.replyMode == .accepted {
            replies.append(.reply(reply, .performed(id, request.actions.map(\.call))))
        } else {
            transaction.reply = reply
        }
        admit(transaction)
    }

    /// Puts a transaction to work: at once, or at the end of the queue if it is about the line.
    mutating func admit(_ transaction: Transaction) {
        transactions[transaction.id] = transaction
        if transaction.isAboutLine {
            queue.append(transaction.id)
        } else {
            runnable.append(transaction.id)
        }
    }

    /// Admits a transaction that the arbiter itself or a provider's report calls for.
    mutating func admit(_ origin: TransactionOrigin, _ actions: [CallAction]) {
        counters.transaction += 1
        admit(Transaction(id: TransactionID(counters.transaction), origin: origin, actions: actions))
    }

    /// "The user acted since": notes which calls a request names, and whether it wants the line for a new one.
    private mutating func remember(_ request: Request, as id: TransactionID) {
        for action in request.actions {
            switch action {
            case .start(let call, _, _, _, _):
                usedIDs.insert(call)
                lastStartOrAnswer = id
            case .answer(let call):
                lastStartOrAnswer = id
                calls[call]?.namedBy = id
            case .end(let call, _), .setHeld(let call, _), .setMuted(let call, _), .playDTMF(let call, _, _):
                calls[call]?.namedBy = id
            case .setGroup(let call, let other):
                calls[call]?.namedBy = id
                if let other { calls[other]?.namedBy = id }
            }
        }
    }

    /// What can be told on arrival, whatever is under way.
    private func check(_ request: Request) throws(CallError) {
        guard !isShuttingDown else { throw CallError(.invalidAction, "the call system is shutting down") }
        guard !request.actions.isEmpty else { throw CallError(.emptyTransaction, "the transaction has no actions") }
        guard request.actions.count <= limits.actionsPerTransaction else {
            throw CallError(
                .limitsExceeded,
                "\(request.actions.count) actions, at most \(limits.actionsPerTransaction) fit in a transaction")
        }
        guard transactions.count < limits.waitingTransactions else {
            throw CallError(.limitsExceeded, "\(transactions.count) transactions are under way already")
        }
        var starting: Set<CallID> = []
        for action in request.actions {
            switch action {
            case .start(let call, let handle, let provider, _, _):
                guard starting.insert(call).inserted, !usedIDs.contains(call) else {
                    throw CallError(.callUUIDAlreadyExists, "call \(call) exists or existed")
                }
                _ = try self.provider(for: handle, named: provider)
                try checkRoom()
                try refuseSecondDialing()
            case .answer, .end, .setHeld, .setMuted, .setGroup, .playDTMF:
                if !starting.contains(action.call) { try checkPossible(action) }
            }
        }
    }

    /// Rule 3, at once: nothing that is under way can make this request succeed.
    private func refuseSecondDialing() throws(CallError) {
        let dialing = calls.values.filter { $0.isDialing && !$0.emergency }
        guard dialing.isEmpty || transactions.values.contains(where: \.endsSomething) else {
            throw CallError(.outgoingCallInProgress, "an outgoing call is not yet connected: \(Arbiter.list(dialing))")
        }
    }

    func checkRoom() throws(CallError) {
        let live = calls.values.count { $0.state != .ended }
        guard live < limits.calls else {
            throw CallError(.limitsExceeded, "\(live) calls are present, at most \(limits.calls) are accepted")
        }
    }

    /// The provider that is to take a start: the one named, or the first that takes the handle's type.
    func provider(for handle: Handle, named id: ProviderID?) throws(CallError) -> Provider {
        if let id {
            guard let provider = providers[id] else { throw CallError(.unknownProvider, "no provider \(id)") }
            guard provider.isReady else { throw CallError(.unknownProvider, "provider \(id) is unavailable") }
            return provider
        }
        let takers = providers.values.filter {
            $0.isReady && $0.configuration.supportedHandleTypes.contains(handle.type)
        }
        guard let provider = takers.min(by: { $0.order < $1.order }) else {
            throw CallError(.unknownProvider, "no provider takes handles of type \(handle.type.rawValue)")
        }
        return provider
    }
}

extension Transaction {
    fileprivate var endsSomething: Bool { actions.contains { $0.kind == .end } }
}
