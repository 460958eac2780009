// The least that shows the same: a course of events with everything left out that does not matter.

import CallCore
package import CallScenario

extension Play {
    /// The fewest lines, found by leaving out, for which `shows` is still true.
    package static func shortest(_ lines: [String], where shows: ([String]) -> Bool) -> [String] {
        var best = lines
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

    /// The shortest course of events that still fails, by itself or on the way to rest.
    package func shortestFailure(_ rest: Rest, fault: World.Fault? = nil) -> Play {
        let policy = machine.policy
        // What was played on the way to rest is played anew, for what is left.
        let isAtRest = movesBeforeRest != nil
        let lines = moves.prefix(movesBeforeRest ?? moves.count).map(\.text)
        func play(_ lines: [String], isRecording: Bool = false) -> Play {
            var play = Play(lines, policy, isRecording: isRecording, fault: fault)
            if isAtRest { play.comeToRest(rest) }
            return play
        }
        return play(Self.shortest(lines) { play($0).failure != nil }, isRecording: true)
    }

    /// The failure as a scenario file, which fails when it is run.
    package var failed: Scenario { scenario(failure ?? "nothing failed") }
}
