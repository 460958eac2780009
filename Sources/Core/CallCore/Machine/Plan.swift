// Plans: a copy of the machine in which every provider fulfils its actions.

public import CallModel

/// One action of a plan, and what its fulfilment means for the audio.
public struct PlannedAction: Sendable, Hashable {
    public let performed: PerformedAction
    /// The provider that is then told to release the audio.
    public internal(set) var releasesAudio: ProviderID?
    /// The provider that then gets the audio, once it is released.
    public internal(set) var grantsAudio: ProviderID?
}

extension CallMachine {
    /// Returns the actions that `request` would lead to, in order, or throws its refusal. Changes nothing.
    public func plan(_ request: Request, at moment: Instant? = nil) -> Result<[PlannedAction], CallError> {
        let now = moment ?? standing.now
        var copy = trial
        var planned: [PlannedAction] = []
        var outcome: Reply?
        var request = request
        request.replyMode = .performed
        let reply = ReplyID(.max)
        let latest = standing.work.latestTransaction
        func collect(_ effects: Effects, after fulfilled: ActionID? = nil) {
            let index = planned.firstIndex { $0.performed.id == fulfilled }
            for effect in effects {
                switch effect {
                // The actions of other requests are not part of the plan.
                case .perform(let action):
                    if action.transaction > latest { planned.append(PlannedAction(performed: action)) }
                case .reply(reply, let answer): outcome = answer
                case .deactivateAudio(let provider): if let index { planned[index].releasesAudio = provider }
                case .activateAudio(let provider, _): if let index { planned[index].grantsAudio = provider }
                default: break
                }
            }
        }
        func moveAudio(after fulfilled: ActionID? = nil) {
            if let holder = copy.audio.releasing {
                collect(copy.apply(.audioReleased(holder), at: now), after: fulfilled)
            }
            if let next = copy.audio.preparing, let agent = copy.audio.agent {
                collect(copy.apply(.audioPrepared(agent, for: next), at: now), after: fulfilled)
            }
        }
        collect(copy.apply(.requested(request, reply: reply), at: now))
        // Nor is a release that was under way before.
        moveAudio()
        while let next = copy.standing.work.actions.first?.id {
            collect(copy.apply(.actionFulfilled(next, date: 0), at: now), after: next)
            moveAudio(after: next)
        }
        if case .failed(let error)? = outcome { return .failure(error) }
        return .success(planned)
    }

    /// What a transaction will have performed from here on if every action is fulfilled.
    func actionsToCome(of id: TransactionID) -> [PerformedAction] {
        var trial = trial
        var found: [PerformedAction] = []
        while let next = trial.standing.work.actions.first {
            for case .perform(let action) in trial.apply(.actionFulfilled(next.id, date: 0), at: standing.now)
            where action.transaction == id {
                found.append(action)
            }
            guard let transaction = trial.standing.work[id], transaction.failure == nil else { return found }
        }
        return found
    }
}
