// Requests: checked on arrival, then put where they belong.

import CallModel

extension CallMachine {
    mutating func take(_ request: Request, reply: ReplyID) {
        counters.transaction += 1
        let id = TransactionID(counters.transaction)
        do throws(CallError) {
            try check(request)
            if !isRehearsal, request.actions.count > 1 || request.replyMode == .accepted {
                _ = try rehearse(request, at: now).get()
            }
        } catch {
            effects.append(.reply(reply, .failed(error)))
            return
        }
        var waiter: Waiter?
        switch request.replyMode {
        case .accepted: effects.append(.reply(reply, .performed(id, request.actions.map(\.call))))
        case .performed: waiter = Waiter(reply: reply, transaction: id)
        }
        if let equal = equal(to: request) {
            if let waiter { transactions.update(equal) { $0.moreWaiters.append(waiter) } }
            return
        }
        remember(request, as: id)
        var transaction = Transaction(
            id: id, origin: .request(request.requester), actions: request.actions, conflict: request.conflict,
            timeout: request.timeout)
        transaction.waiter = waiter
        admit(transaction, isEmergency: request.actions.first(where: \.isAboutLine).map { isEmergency($0) } ?? false)
    }

    /// Puts a transaction to work: at once, or at the end of the queue if it is about the line. An emergency goes first.
    mutating func admit(_ transaction: Transaction, isEmergency: Bool = false) {
        transactions[transaction.id] = transaction
        if !transaction.isAboutLine {
            runnable.append(transaction.id)
        } else if isEmergency {
            queue.insert(transaction.id, at: 0)
        } else {
            queue.append(transaction.id)
        }
    }

    /// Admits a transaction that the arbiter itself or a provider's report calls for.
    mutating func admit(_ origin: TransactionOrigin, _ actions: [CallAction]) {
        counters.transaction += 1
        admit(Transaction(id: TransactionID(counters.transaction), origin: origin, actions: actions))
    }

    /// Rule 22: the pending transaction that wants the very same, if nothing that came later stands between.
    private func equal(to request: Request) -> TransactionID? {
        guard request.actions.count == 1, let last = queue.last, let pending = transactions[last],
            pending.failure == nil, pending.actions == request.actions, pending.conflict == request.conflict,
            case .request(let other) = pending.origin
        else { return nil }
        switch (other, request.requester) {
        case (.client, .client): return last
        case (.provider(let one), .provider(let two)): return one == two ? last : nil
        case (.client, .provider), (.provider, .client): return nil
        }
    }

    /// "The user acted since": notes which calls a request names, and whether it wants the line for a new one.
    private mutating func remember(_ request: Request, as id: TransactionID) {
        for action in request.actions {
            switch action {
            case .start: lastStartOrAnswer = id
            case .answer(let call):
                lastStartOrAnswer = id
                calls.annotate(call) { $0.namedBy = id }
            case .end(let call, _), .setHeld(let call, _), .setMuted(let call, _), .playDTMF(let call, _, _),
                .setTranslating(let call, _, _):
                calls.annotate(call) { $0.namedBy = id }
            case .setGroup(let call, let other):
                calls.annotate(call) { $0.namedBy = id }
                if let other { calls.annotate(other) { $0.namedBy = id } }
            }
        }
    }

    /// Rule 19: whether the action starts or answers an emergency call.
    func isEmergency(_ action: CallAction) -> Bool {
        switch action {
        case .start(_, let handle, let named, _, _):
            (try? provider(for: handle, named: named))?.configuration.isEmergency(handle) ?? false
        case .answer(let call): calls[call]?.emergency ?? false
        case .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating: false
        }
    }
}
