// The order of effects: first the questions, then the replies, then the announcements.

/// What follows from one input. The shell carries out `ask` and then `reply` at once, and `tell` when no input is waiting;
/// each list in its order.
public struct Effects: Sendable, Hashable, Sequence {
    /// What providers, screeners and the look-up are asked, and the timers that are armed or disarmed.
    public internal(set) var ask: [Effect] = []
    /// What callers are answered.
    public private(set) var reply: [Effect] = []
    /// What everybody else is told.
    public private(set) var tell: [Effect] = []

    public func makeIterator() -> IndexingIterator<[Effect]> { (ask + reply + tell).makeIterator() }

    mutating func append(_ effect: Effect) {
        switch effect {
        case .perform, .timedOut, .transactionEnded, .lookUp, .screen, .reset, .activateAudio, .deactivateAudio,
            .prepareAudio, .finishAudio, .arm, .disarm:
            ask.append(effect)
        case .reply: reply.append(effect)
        case .callAdded, .callChanged, .callRemoved, .callEnded, .callFiltered, .activeCallChanged, .resumeSuggested,
            .ringingCallChanged, .suggestedResumeChanged,
            .anomaly, .providerAdded, .providerChanged, .providerRemoved, .audioChanged, .stop:
            tell.append(effect)
        }
    }

    package mutating func removeAll(where isUnwanted: (Effect) -> Bool) {
        ask.removeAll(where: isUnwanted)
        reply.removeAll(where: isUnwanted)
        tell.removeAll(where: isUnwanted)
    }

    /// Returns the same effects, each replaced by another of its kind.
    package func replacing(_ replace: (Effect) -> Effect) -> Effects {
        var result = Effects()
        for effect in self { result.append(replace(effect)) }
        return result
    }
}
