// What those who watch the core may look at beyond what is published.

package import CallModel

extension CallMachine {
    /// A call. Mutating, although nothing changes, as Swift copies the whole machine to ask one that is a property.
    package mutating func call(_ id: CallID) -> Call? { calls[id] }

    /// The action that a provider has not answered yet, and what it is for.
    package func awaited(_ id: ActionID) -> PendingAction? { actions[id] }

    /// What is being worked on about the line, while the next request about it waits its turn.
    package var workAtLine: CallAction? { queue.first.flatMap { transactions[$0]?.current } }

    /// What the arbiter would bring back now (rule 10).
    package var displaced: CallID? { calls.lastDisplaced }

    package var isLeaving: Bool { isShuttingDown }

    /// When the latest input came.
    package var latest: Instant { now }

    /// Whether callers are looked up, and who screens calls.
    package var looksUp: Bool { canLookUp }
    /// Whether there would be somebody who knows callers, and is away.
    package var isLookUpMissing: Bool { isLookUpAway }
    package var activeScreeners: [ScreenerID] { screeners }

    /// Of how many screeners a verdict on a call that waits is awaited; nil if it is not screened.
    package func awaitedVerdicts(on id: CallID) -> [ScreenerID]? {
        guard case .screening(let awaited)? = waiting.first(where: { $0.id == id })?.stage else { return nil }
        return awaited
    }

    /// Whether Do Not Disturb turned the caller away a moment ago.
    package func wasTurnedAway(_ handle: Handle?, at now: Instant) -> Bool {
        handle.map { turnedAway.contains($0, at: now, withinMilliseconds: deadlines[.repeatedCaller]) } ?? false
    }
}
