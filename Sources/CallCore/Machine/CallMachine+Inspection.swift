// What those who watch the core may look at beyond what is published.

package import CallModel

extension CallMachine {
    /// The action that a provider has not answered yet, and what it is for.
    package func awaited(_ id: ActionID) -> PendingAction? { actions[id] }

    /// What is being worked on about the line, while the next request about it waits its turn.
    package var workAtLine: CallAction? { queue.first.flatMap { transactions[$0]?.current } }

    /// What the arbiter would bring back now (rule 10).
    package var displaced: CallID? { calls.lastDisplaced }

    package var isLeaving: Bool { isShuttingDown }
}
