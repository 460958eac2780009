// A scenario file: what happens, and word for word what follows.

import CallCore
package import CallModel

/// `# title`, `# rules: 6, 17`, if need be `# policy: ios`, then blocks: commands, `----`, the transcript, a blank line.
package struct Scenario {
    package struct Block {
        package var commands: [String]
        /// Nil where nothing is recorded yet.
        package var transcript: [String]?

        package init(commands: [String], transcript: [String]?) {
            self.commands = commands
            self.transcript = transcript
        }
    }

    package var title: String
    package var rules: [Int]
    /// The rows in which this course of events departs from the table.
    package var policy: Policy
    package var blocks: [Block]

    package init(title: String, rules: [Int], policy: Policy = .desktop, blocks: [Block]) {
        self.title = title
        self.rules = rules
        self.policy = policy
        self.blocks = blocks
    }

    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    package init(text: String) throws {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count > 2, lines[0].hasPrefix("# "), lines[1].hasPrefix("# rules:") else {
            throw Malformed(description: "the first two lines are `# title` and `# rules: …`")
        }
        title = String(lines[0].dropFirst(2))
        rules = lines[1].dropFirst(8).split { $0 == "," || $0 == " " }.compactMap { Int($0) }
        lines.removeFirst(2)
        policy = .desktop
        if let line = lines.first, line.hasPrefix("# policy: ") {
            guard let named = Policy(named: String(line.dropFirst(10))) else {
                throw Malformed(description: "\(line): expected one of \(Policy.all.map(\.name))")
            }
            policy = named
            lines.removeFirst()
        }
        blocks = lines.split(whereSeparator: \.isEmpty).map { block in
            let parts = block.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "----" }
            return Block(commands: Array(parts[0]), transcript: parts.count == 2 ? Array(parts[1]) : nil)
        }
        guard !blocks.isEmpty else { throw Malformed(description: "no commands") }
    }

    package var text: String {
        var text = "# \(title)\n# rules: \(rules.map(String.init).joined(separator: ", "))\n"
        if policy != .desktop { text += "# policy: \(policy.name)\n" }
        for block in blocks {
            text += "\n" + block.commands.joined(separator: "\n") + "\n"
            if let transcript = block.transcript { text += (["----"] + transcript).joined(separator: "\n") + "\n" }
        }
        return text
    }

    /// The same commands with the transcript that they lead to now, and the invariants that they break.
    ///
    /// - Parameters:
    ///   - fault: which effects get lost on their way.
    ///   - watch: sees each input and the machine before it.
    package func recorded(
        fault: World.Fault? = nil, watch: ScenarioRunner.Watch? = nil
    ) -> (scenario: Scenario, violations: [String]) {
        var runner = ScenarioRunner(CallMachine(policy: policy), fault: fault)
        runner.watch = watch
        var copy = self
        for index in blocks.indices {
            copy.blocks[index].transcript = blocks[index].commands.flatMap { runner.run($0) }
        }
        return (copy, runner.violations)
    }
}
