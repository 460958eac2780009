// A scenario file: what happens, and word for word what follows.

package import CallCore
package import CallModel

/// `# title`, `# rules: 6, 17`, if need be `# policy: ios`, `# deadlines: answer=2000 ring=500` (ms) and
/// `# limits: calls=128`, then blocks: commands, `----`, the transcript, a blank line.
package struct Scenario {
    package struct Block {
        package var commands: [String]
        /// Nil where nothing is recorded yet.
        package var transcript: [String]?
        /// Where it begins in its file, from 1; 0 = in no file.
        package let line: Int

        package init(commands: [String], transcript: [String]?, line: Int = 0) {
            self.commands = commands
            self.transcript = transcript
            self.line = line
        }
    }

    package var title: String
    package var rules: [Int]
    /// The rows in which this course of events departs from the table.
    package var policy: Policy
    package var deadlines: Deadlines
    package var limits: Limits
    package var blocks: [Block]

    package init(
        title: String, rules: [Int], policy: Policy = .desktop, deadlines: Deadlines = Deadlines(),
        limits: Limits = Limits(), blocks: [Block]
    ) {
        self.title = title
        self.rules = rules
        self.policy = policy
        self.deadlines = deadlines
        self.limits = limits
        self.blocks = blocks
    }

    package var text: String {
        var text = header
        for block in blocks {
            text += "\n" + block.commands.joined(separator: "\n") + "\n"
            if let transcript = block.transcript { text += (["----"] + transcript).joined(separator: "\n") + "\n" }
        }
        return text
    }

    /// The machine with which it begins.
    package var machine: CallMachine { CallMachine(deadlines: deadlines, limits: limits, policy: policy) }

    /// The same commands with the transcript that they lead to now, and the invariants that they break.
    ///
    /// - Parameters:
    ///   - fault: which effects get lost on their way.
    ///   - watch: sees each input and the machine before it.
    package func recorded(
        fault: World.Fault? = nil, watch: ScenarioRunner.Watch? = nil
    ) -> (scenario: Scenario, violations: [String]) {
        var runner = ScenarioRunner(machine, fault: fault)
        runner.watch = watch
        var copy = self
        for index in blocks.indices {
            copy.blocks[index].transcript = blocks[index].commands.flatMap { runner.run($0) }
        }
        return (copy, runner.violations)
    }
}
