// Reading a scenario file: what is wrong with it is said with its line.

import CallCore
package import CallModel

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
                try take(header: lines[next])
            } catch {
                throw Malformed(line: next + 1, reason: error.reason)
            }
            next += 1
        }
        for line in next..<lines.count + 1 {
            guard line == lines.count || lines[line].isEmpty else { continue }
            if line > next { blocks.append(try Self.block(lines[next..<line])) }
            next = line + 1
        }
        guard !blocks.isEmpty else { throw Malformed(line: lines.count, reason: "nothing happens in it") }
    }

    private static func block(_ lines: ArraySlice<String>) throws(Malformed) -> Block {
        let parts = lines.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "----" }
        for (offset, command) in parts[0].enumerated() {
            do throws(CallError) {
                try ScenarioRunner.check(command)
            } catch {
                throw Malformed(line: lines.startIndex + offset + 1, reason: error.message)
            }
        }
        return Block(
            commands: Array(parts[0]), transcript: parts.count == 2 ? Array(parts[1]) : nil,
            line: lines.startIndex + 1)
    }
}

extension ScenarioRunner {
    /// Whether `run` would understand the command, whatever then follows from it.
    package static func check(_ command: String) throws(CallError) {
        let verb = command.prefix { $0 != " " }
        let rest = String(command.dropFirst(verb.count + 1))
        switch verb {
        case "given": try check(rest)
        case "advance":
            guard UInt32(rest) != nil else { throw CallError(.invalidArguments, "no number of ms: \(command)") }
        case "elapse":
            guard UInt64(rest) != nil else { throw CallError(.invalidArguments, "no number of µs: \(command)") }
        case "explain":
            guard CallID(scenarioText: rest) != nil else { throw CallError(.invalidArguments, "no call: \(command)") }
        case "fulfil-all", "check", "rest", "gone", "wait-out": break
        case "plan": _ = try Input(line: "request " + rest)
        default: _ = try Input(line: command)
        }
    }
}
