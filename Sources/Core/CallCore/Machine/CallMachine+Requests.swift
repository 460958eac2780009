// Requests: checked on arrival, then admitted.

import CallModel

extension CallMachine {
    mutating func take(_ request: Request, reply: ReplyID) {
        let id = work.nextTransactionID()
        let request = standing.completed(request)
        do throws(CallError) {
            try standing.check(request, waiting: admission.waiting)
            if !isTrial { try count(request) }
            if !isTrial, request.actions.count > 1 || request.replyMode == .accepted {
                _ = try plan(request, at: now).get()
            }
        } catch {
            return effects.reply(reply, .failed(error))
        }
        var waiters: [Waiter] = []
        switch request.replyMode {
        case .accepted: effects.reply(reply, .performed(id, request.actions.map(\.call)))
        case .performed: waiters = [Waiter(reply: reply, transaction: id)]
        }
        let isHeldAlready = standing.isHeldAlready(request)
        if !isHeldAlready, let equal = work.equal(to: request) { return work.update(equal) { $0.waiters += waiters } }
        remember(request, as: id)
        var transaction = Transaction(id: id, origin: .request(request.requester), actions: request.actions)
        transaction.owner = standing.owner(of: request)
        transaction.conflict = request.conflict
        transaction.timeout = request.timeout
        transaction.waiters = waiters
        // Nothing is to be done for it, so it does not wait for anything.
        if isHeldAlready { transaction.isAboutLine = false }
        let isEmergency = request.actions.first(where: \.isAboutLine).map { standing.isEmergency($0) } ?? false
        work.admit(transaction, isEmergency: isEmergency)
    }

    /// Admits a transaction that the arbiter itself or a provider's report calls for.
    ///
    /// - Parameter isAboutLine: whether it waits its turn; nil if the actions decide.
    mutating func admit(
        _ origin: TransactionOrigin, _ actions: [CallAction], isAboutLine: Bool? = nil, isEmergency: Bool = false
    ) {
        var transaction = Transaction(id: work.nextTransactionID(), origin: origin, actions: actions)
        transaction.isAboutLine = isAboutLine ?? transaction.isAboutLine
        work.admit(transaction, isEmergency: isEmergency)
    }

    /// "The user acted since": notes which calls a request names, and whether it wants the line for a new one.
    private mutating func remember(_ request: Request, as id: TransactionID) {
        for action in request.actions {
            switch action {
            case .start: work.lastStartOrAnswer = id
            case .answer(let call):
                work.lastStartOrAnswer = id
                calls.update(call) { $0.namedBy = id }
            case .end(let call, _), .setHeld(let call, _), .setMuted(let call, _), .playDTMF(let call, _, _),
                .setTranslating(let call, _, _), .transfer(let call, _), .answerTransfer(let call, _):
                calls.update(call) { $0.namedBy = id }
            case .setGroup(let call, let other):
                calls.update(call) { $0.namedBy = id }
                if let other { calls.update(other) { $0.namedBy = id } }
            }
        }
    }

    /// Counts a request of a sandboxed app, unless it starts an emergency call or ends calls.
    ///
    /// - Throws: `LimitsExceeded` if the app has requested too much lately.
    private mutating func count(_ request: Request) throws(CallError) {
        let owner = standing.owner(of: request)
        guard owner.isModest, !standing.isFree(request) else { return }
        try standing.rates.countRequest(of: owner, limits.requestsPerClient, at: now)
    }
}
