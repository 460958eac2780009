// What would happen: a copy of the world in which every provider does as it is told.

public import CallModel

extension CallMachine {
    /// The actions that `request` would lead to, in order, or the refusal that it would get. Nothing is done.
    public func rehearse(_ request: Request, at moment: Instant? = nil) -> Result<[PerformedAction], CallError> {
        let now = moment ?? now
        var copy = self
        copy.isRehearsal = true
        copy.effects = []
        copy.announcements = []
        copy.replies = []
        var performed: [PerformedAction] = []
        var outcome: Reply?
        var request = request
        request.replyMode = .performed
        let reply = ReplyID(.max)
        let latest = TransactionID(counters.transaction)
        func collect(_ effects: [Effect]) {
            for effect in effects {
                switch effect {
                // What other requests under way lead to is not this one's doing.
                case .perform(let action): if action.transaction > latest { performed.append(action) }
                case .reply(reply, let answer): outcome = answer
                default: break
                }
            }
        }
        collect(copy.apply(.requested(request, reply: reply), at: now))
        while let next = copy.actions.keys.min(by: { $0.number < $1.number }) {
            collect(copy.apply(.actionFulfilled(next, date: 0), at: now))
        }
        if case .failed(let error)? = outcome { return .failure(error) }
        return .success(performed)
    }
}
