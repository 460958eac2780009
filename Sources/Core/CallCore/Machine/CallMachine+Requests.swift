// Requests: checked on arrival, then admitted.

import CallModel

extension CallMachine {
    mutating func take(_ request: Request, reply: ReplyID) {
        let id = work.nextTransactionID()
        let request = completed(request)
        do throws(CallError) {
            try check(request)
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
        let isHeldAlready = isHeldAlready(request)
        if !isHeldAlready, let equal = work.equal(to: request) { return work.update(equal) { $0.waiters += waiters } }
        remember(request, as: id)
        var transaction = Transaction(id: id, origin: .request(request.requester), actions: request.actions)
        transaction.owner = owner(of: request)
        transaction.conflict = request.conflict
        transaction.timeout = request.timeout
        transaction.waiters = waiters
        // Nothing is to be done for it, so it does not wait for anything.
        if isHeldAlready { transaction.isAboutLine = false }
        let isEmergency = request.actions.first(where: \.isAboutLine).map { self.isEmergency($0) } ?? false
        work.admit(transaction, isEmergency: isEmergency)
    }

    /// Whether all that is requested is to hold calls that are on hold.
    private func isHeldAlready(_ request: Request) -> Bool {
        guard request.actions.count == 1, case .setHeld(let call, true)? = request.actions.first else { return false }
        return calls.members(with: call).allSatisfy { $0.state == .held }
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

    /// Rule 19: whether the action starts or answers an emergency call.
    func isEmergency(_ action: CallAction) -> Bool {
        switch action {
        case .start(_, let request): isEmergency(request.handle)
        case .answer(let call): calls.standing(of: call)?.emergency ?? false
        case .end, .setHeld, .setMuted, .setGroup, .playDTMF, .setTranslating, .transfer, .answerTransfer: false
        }
    }
}
