// A scenario file: what happens, and word for word what follows.

/// `# title`, `# rules: 6, 17`, then blocks: commands, `----`, the transcript, a blank line.
struct Scenario {
    struct Block {
        var commands: [String]
        /// Nil where nothing is recorded yet.
        var transcript: [String]?
    }

    var title: String
    var rules: [Int]
    var blocks: [Block]

    init(title: String, rules: [Int], blocks: [Block]) {
        self.title = title
        self.rules = rules
        self.blocks = blocks
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(text: String) throws {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count > 2, lines[0].hasPrefix("# "), lines[1].hasPrefix("# rules:") else {
            throw Malformed(description: "the first two lines are `# title` and `# rules: …`")
        }
        title = String(lines[0].dropFirst(2))
        rules = lines[1].dropFirst(8).split { $0 == "," || $0 == " " }.compactMap { Int($0) }
        lines.removeFirst(2)
        blocks = lines.split(whereSeparator: \.isEmpty).map { block in
            let parts = block.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "----" }
            return Block(commands: Array(parts[0]), transcript: parts.count == 2 ? Array(parts[1]) : nil)
        }
        guard !blocks.isEmpty else { throw Malformed(description: "no commands") }
    }

    var text: String {
        var text = "# \(title)\n# rules: \(rules.map(String.init).joined(separator: ", "))\n"
        for block in blocks {
            text += "\n" + block.commands.joined(separator: "\n") + "\n"
            if let transcript = block.transcript { text += (["----"] + transcript).joined(separator: "\n") + "\n" }
        }
        return text
    }

    /// The same commands with the transcript that they lead to now, and the invariants that they break.
    func recorded() -> (scenario: Scenario, violations: [String]) {
        var runner = ScenarioRunner()
        var copy = self
        for index in blocks.indices {
            copy.blocks[index].transcript = blocks[index].commands.flatMap { runner.run($0) }
        }
        return (copy, runner.violations)
    }
}
