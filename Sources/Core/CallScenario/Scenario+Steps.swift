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
            for command in block.commands { _ = runner.run(Self.accelerate(command, speed, &passed)) }
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

    /// - Parameter passed: the time that the file has let pass so far, in µs. Rounding errors do not add up.
    private static func accelerate(_ command: String, _ speed: UInt32, _ passed: inout UInt64) -> String {
        let verb = command.prefix { $0 != " " }
        if verb == "given" { return "given " + accelerate(String(command.dropFirst(6)), speed, &passed) }
        let words = command.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return words.enumerated().map { index, word in
            if index == 1, verb == "advance" || verb == "elapse", let time = UInt64(word) {
                let unit: UInt64 = verb == "advance" ? 1_000 : 1
                let step = unit * UInt64(speed)
                let before = passed / step
                passed += time * unit
                return String(passed / step - before)
            }
            guard word.hasPrefix("timeout="), let time = UInt32(word.dropFirst(8)) else { return word }
            return "timeout=\(max(1, time / speed))"
        }.joined(separator: " ")
    }
}
