// A scenario as a list of inputs, without commands and blocks.

package import CallCore
package import CallModel

/// One input and its effects.
package struct ScenarioStep {
    package let input: Input
    /// The time of the input, in µs since the beginning.
    package let time: UInt64
    /// Whether the input is a timer that came due by itself.
    package let isDue: Bool
    package let effects: Effects
    /// The effects in words.
    package let lines: [String]
    /// The questions that the file asks at this point, with the answers.
    package internal(set) var questions: [(question: Question, answer: [String])] = []
}

/// What a file asks about the state of things, changing nothing.
package enum Question: Sendable, Hashable {
    case check
    case plan(Request)
}

extension Scenario {
    /// Runs the scenario in the core and returns its steps up to the stop.
    ///
    /// - Parameter speed: divides all times and deadlines, for scenarios that are played in real time.
    package func steps(speed: UInt32 = 1) -> [ScenarioStep] {
        var runner = ScenarioRunner(CallMachine(deadlines: deadlines(speed: speed), limits: limits, policy: policy))
        runner.keepsSteps = true
        var passed: UInt64 = 0
        for block in blocks {
            for line in block.commands { _ = runner.run(line) { $0.accelerated(speed, &passed) } }
        }
        let stop = runner.keptSteps.firstIndex { $0.effects.contains(.stop) }
        return stop.map { Array(runner.keptSteps[...$0]) } ?? runner.keptSteps
    }

    /// Returns the deadlines at that speed.
    package func deadlines(speed: UInt32) -> Deadlines {
        var deadlines = deadlines
        for kind in DeadlineKind.allCases { deadlines[kind] = deadlines[kind] / speed }
        return deadlines
    }
}
