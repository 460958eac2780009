// The fewest moves that show the same: everything that does not matter is left out.

import CallCore
package import CallScenario

extension MoveRunner {
    /// Leaves out ever smaller parts of the moves for as long as `shows` stays true.
    package static func shortest<Move>(_ moves: [Move], where shows: ([Move]) -> Bool) -> [Move] {
        var best = moves
        var size = max(1, best.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < best.count {
                let candidate = Array(best[..<start]) + best[min(start + size, best.count)...]
                if shows(candidate) {
                    best = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { return best }
            size = max(1, size / 2)
        }
    }

    /// The fewest moves that still fail, by themselves or while they settle.
    package func shortestFailure(_ settling: Settling, fault: ScenarioShell.Fault? = nil) -> MoveRunner {
        let policy = machine.policy
        // The moves made while settling are made anew, for what is left.
        let failedWhileSettling = movesBeforeSettling != nil
        let lines = moves.prefix(movesBeforeSettling ?? moves.count).map(\.text)
        func replay(_ lines: [String], isRecording: Bool = false) -> MoveRunner {
            var runner = MoveRunner(lines, policy, isRecording: isRecording, fault: fault)
            if failedWhileSettling { runner.settle(settling) }
            return runner
        }
        return replay(Self.shortest(lines) { replay($0).failure != nil }, isRecording: true)
    }

    /// The failure as a scenario file, which fails when it is run.
    package var failed: Scenario { scenario(failure ?? "nothing failed") }
}
