// A scenario file: inputs, and their exact effects.

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

extension Scenario {
    struct HeaderError: Error {
        let reason: String
    }

    /// The lines before the first block.
    package var header: String {
        var lines = [
            "# \(title)", "# rules:" + (rules.isEmpty ? "" : " ") + rules.map(String.init).joined(separator: ", "),
        ]
        if policy != .desktop { lines.append("# policy: \(policy.name)") }
        let standard = Deadlines()
        let deadlines = DeadlineKind.allCases.filter { self.deadlines[$0] != standard[$0] }
            .map { "\($0.rawValue)=\(self.deadlines[$0])" }
        if !deadlines.isEmpty { lines.append("# deadlines: " + deadlines.joined(separator: " ")) }
        let limits = Self.limitNames.filter { self.limits[keyPath: $0.path] != Limits()[keyPath: $0.path] }
            .map { "\($0.name)=\(self.limits[keyPath: $0.path])" }
        if !limits.isEmpty { lines.append("# limits: " + limits.joined(separator: " ")) }
        return lines.joined(separator: "\n") + "\n"
    }

    mutating func parse(header line: String) throws(HeaderError) {
        let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1).map(String.init)
        let words = (parts.count == 2 ? parts[1] : "").split { $0 == " " || $0 == "," }.map(String.init)
        switch parts.first {
        case "rules":
            for word in words {
                guard let rule = Int(word) else { throw HeaderError(reason: "\(word) is not the number of a row") }
                rules.append(rule)
            }
        case "policy":
            guard words.count == 1, let named = Policy(named: words[0]) else {
                throw HeaderError(reason: "\(line): expected one of \(Policy.all.map(\.name))")
            }
            policy = named
        case "deadlines":
            for word in words {
                let pair = try Self.pair(word)
                guard let kind = DeadlineKind(rawValue: pair.name), let time = UInt32(exactly: pair.value),
                    time > 0
                else {
                    throw HeaderError(reason: "\(word) is not a valid deadline")
                }
                deadlines[kind] = time
            }
        case "limits":
            for word in words {
                let pair = try Self.pair(word)
                guard let path = Self.limitNames.first(where: { $0.name == pair.name })?.path else {
                    throw HeaderError(reason: "\(word) is not a valid limit")
                }
                limits[keyPath: path] = pair.value
            }
        default: throw HeaderError(reason: "expected rules, policy, deadlines or limits: \(line)")
        }
    }

    private static func pair(_ word: String) throws(HeaderError) -> (name: String, value: Int) {
        let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2, let value = Int(halves[1]), value >= 0 else {
            throw HeaderError(reason: "\(word): expected name=number")
        }
        return (halves[0], value)
    }

    private static var limitNames: [(name: String, path: WritableKeyPath<Limits, Int>)] {
        [
            ("ringing-calls-per-provider", \.ringingCallsPerProvider), ("calls", \.calls),
            ("calls-per-client", \.callsPerClient), ("calls-per-plugin", \.callsPerPlugin),
            ("starts-per-owner", \.startsPerOwner), ("transactions-per-owner", \.transactionsPerOwner),
            ("actions-per-transaction", \.actionsPerTransaction), ("waiting-transactions", \.waitingTransactions),
            ("causes-per-call", \.causesPerCall), ("waiting-reports", \.waitingReports),
            ("remembered-callers", \.rememberedCallers), ("new-calls-per-client", \.newCallsPerClient),
            ("new-calls-per-plugin", \.newCallsPerPlugin), ("requests-per-client", \.requestsPerClient),
        ]
    }
}

extension Scenario {
    package struct Malformed: Error, CustomStringConvertible {
        /// From 1.
        package let line: Int
        package let reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// - Throws: `Malformed` for the first line that is not understood.
    package init(text: String) throws(Malformed) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let title = lines.first, title.hasPrefix("# ") else {
            throw Malformed(line: 1, reason: "expected `# title`")
        }
        guard lines.count > 1, lines[1].hasPrefix("# rules:") else {
            throw Malformed(line: 2, reason: "expected `# rules:` and the numbers of rows, if any")
        }
        self.init(title: String(title.dropFirst(2)), rules: [], blocks: [])
        var next = 1
        while next < lines.count, lines[next].hasPrefix("# ") {
            do throws(HeaderError) {
                try parse(header: lines[next])
            } catch {
                throw Malformed(line: next + 1, reason: error.reason)
            }
            next += 1
        }
        var passed: UInt64 = 0
        for line in next..<lines.count + 1 {
            guard line == lines.count || lines[line].isEmpty else { continue }
            if line > next { blocks.append(try Self.block(lines[next..<line], &passed)) }
            next = line + 1
        }
        guard !blocks.isEmpty else { throw Malformed(line: lines.count, reason: "nothing happens in it") }
    }

    /// The limit of the time that may pass, in µs.
    private static let endOfTime: UInt64 = 1 << 60

    /// - Parameter passed: the sum of the times that the commands let pass, in µs.
    private static func block(_ lines: ArraySlice<String>, _ passed: inout UInt64) throws(Malformed) -> Block {
        let parts = lines.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "----" }
        for (offset, command) in parts[0].enumerated() {
            do throws(CallError) {
                passed += min(try ScenarioCommand(line: command).duration, endOfTime)
                guard passed < endOfTime else { throw CallError(.invalidArguments, "too much time passes: \(command)") }
            } catch {
                throw Malformed(line: lines.startIndex + offset + 1, reason: String(error.message.prefix(200)))
            }
        }
        return Block(
            commands: Array(parts[0]), transcript: parts.count == 2 ? Array(parts[1]) : nil,
            line: lines.startIndex + 1)
    }
}
