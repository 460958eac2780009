// A scenario file: inputs, and word for word their effects.

package import CallCore
package import CallModel

/// `# title`, `# rules: 6, 17`, if need be `# policy: ios`, `# deadlines: answer=2000 ring=500` (ms) and
/// `# limits: calls=128`, then blocks: commands, `----`, the transcript, a blank line.
package struct Scenario {
    package struct Block {
        package var commands: [String]
        /// Nil if nothing is recorded yet.
        package var transcript: [String]?
        /// The number of its first line in the file, from 1; 0 without a file.
        package let line: Int

        package init(commands: [String], transcript: [String]?, line: Int = 0) {
            self.commands = commands
            self.transcript = transcript
            self.line = line
        }
    }

    package var title: String
    package var rules: [Int]
    /// The policy under which the scenario runs.
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

    /// The machine at the beginning.
    package var machine: CallMachine { CallMachine(deadlines: deadlines, limits: limits, policy: policy) }

    /// Returns the same commands with the transcripts that they lead to now, and the violations of invariants.
    ///
    /// - Parameters:
    ///   - fault: returns whether an effect is dropped.
    ///   - watch: is called with each input and the machine before it.
    package func recorded(
        fault: ScenarioShell.Fault? = nil, watch: ScenarioRunner.Watch? = nil
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
