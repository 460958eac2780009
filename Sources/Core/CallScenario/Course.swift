// A scenario as the plain list of what happens: no commands, no blocks.

package import CallCore
package import CallModel

/// One input, and what follows it.
package struct CourseStep {
    package let input: Input
    /// Microseconds since the beginning.
    package let time: UInt64
    /// Whether it is a timer that comes due by itself.
    package let isDue: Bool
    package let effects: Effects
    /// The effects in words.
    package let lines: [String]
    /// What the file asks then, and what the answer is.
    package internal(set) var questions: [(question: Question, answer: [String])] = []
}

/// What a file asks about the state of things, changing nothing.
package enum Question: Sendable, Hashable {
    case check
    case plan(Request)
}

extension Scenario {
    /// What happens from the first input to the stop of the system, in the pure core.
    ///
    /// - Parameter haste: everything that takes time takes so many times less, so that it can be waited for.
    package func course(haste: UInt32 = 1) -> [CourseStep] {
        var runner = ScenarioRunner(CallMachine(deadlines: deadlines(haste: haste), limits: limits, policy: policy))
        runner.keepsCourse = true
        var passed: UInt64 = 0
        for block in blocks {
            for command in block.commands { _ = runner.run(Self.hasten(command, haste, &passed)) }
        }
        let stop = runner.course.firstIndex { $0.effects.contains(.stop) }
        return stop.map { Array(runner.course[...$0]) } ?? runner.course
    }

    /// The deadlines that go with a course of that haste.
    package func deadlines(haste: UInt32) -> Deadlines {
        var deadlines = deadlines
        for kind in DeadlineKind.allCases { deadlines[kind] = deadlines[kind] / haste }
        return deadlines
    }

    /// - Parameter passed: the time that the file has let pass so far, in µs. What is rounded off now comes later.
    private static func hasten(_ command: String, _ haste: UInt32, _ passed: inout UInt64) -> String {
        let verb = command.prefix { $0 != " " }
        if verb == "given" { return "given " + hasten(String(command.dropFirst(6)), haste, &passed) }
        let words = command.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return words.enumerated().map { index, word in
            if index == 1, verb == "advance" || verb == "elapse", let time = UInt64(word) {
                let unit: UInt64 = verb == "advance" ? 1_000 : 1
                let step = unit * UInt64(haste)
                let before = passed / step
                passed += time * unit
                return String(passed / step - before)
            }
            guard word.hasPrefix("timeout="), let time = UInt32(word.dropFirst(8)) else { return word }
            return "timeout=\(max(1, time / haste))"
        }.joined(separator: " ")
    }
}
