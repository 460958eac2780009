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
            for line in block.commands { _ = runner.run(line) { $0.hastened(haste, &passed) } }
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
}
