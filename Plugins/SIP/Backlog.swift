// Backlog: how much may wait to be written to the log.

import Synchronization

/// Counts what waits for the loop. Anybody can send messages faster than they can be written, and calls wait behind them.
final class Backlog: Sendable {
    private struct State {
        var waiting = 0
        var missed = 0
    }

    private static let maximum = 200
    private let state = Mutex(State())

    /// Whether one more may wait. If not, it is counted.
    func enter() -> Bool {
        state.withLock { state in
            if state.waiting >= Self.maximum {
                state.missed += 1
                return false
            }
            state.waiting += 1
            return true
        }
    }

    /// One waits no longer. Returns how many were left out since the last call of this.
    func leave() -> Int {
        state.withLock { state in
            state.waiting -= 1
            defer { state.missed = 0 }
            return state.missed
        }
    }
}
