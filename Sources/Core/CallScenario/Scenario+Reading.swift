// Reading a scenario file; errors name the line.

import CallCore
import CallModel

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
