// What those who watch the core may look at beyond what is published.

package import CallModel

extension CallMachine {
    /// The action that a provider has not answered yet, and what it is for.
    package func awaited(_ id: ActionID) -> PendingAction? { actions[id] }

    /// Whether somebody's request about the line is being worked on, so that the next one waits its turn.
    package var isLineWorkedAt: Bool { !queue.isEmpty }

    /// Whether a provider's answer to an action of this kind is awaited on the call.
    package func isAwaited(_ kind: ActionKind, on call: CallID) -> Bool { pendingAction(on: call, kind) != nil }

    /// What the arbiter would bring back now (rule 10).
    package var displaced: CallID? { calls.lastDisplaced }

    package var isLeaving: Bool { isShuttingDown }
}
