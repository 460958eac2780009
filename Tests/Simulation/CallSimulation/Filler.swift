// A scenario for a cell that has none: the way on which the simulation got there, as short as it gets.

import CallCore
import CallModel
package import CallScenario

package enum Filler {
    /// - Returns: the scenario, or nil if the cell is not reached on that way any more.
    package static func scenario(for cell: Cell, _ sighting: Campaign.Sighting) -> Scenario? {
        var simulation = Simulation(seed: sighting.seed)
        let policy = simulation.play.machine.policy
        simulation.run()
        let lines = simulation.play.lines
        guard reaches(cell, lines, policy) else { return nil }
        var best = shortest(prefix(lines, cell, policy), cell, policy)
        best = simplified(best) { reaches(cell, $0, policy) }
        best = renamed(shortest(best, cell, policy))
        guard reaches(cell, best, policy) else { return nil }
        let isPlain = policy != .desktop && reaches(cell, best, .desktop)
        return written(cell, best, isPlain ? .desktop : policy)
    }

    /// The way there is given; what happens then is shown, and what follows if everybody does as they are told.
    private static func written(_ cell: Cell, _ lines: [String], _ policy: Policy) -> Scenario {
        let blocks = [lines.dropLast().map { "given " + $0 }, lines.suffix(1), ["fulfil-all", "check"]]
        var scenario = Scenario(
            title: cell.description, rules: [], policy: policy,
            blocks: blocks.filter { !$0.isEmpty }.map { Scenario.Block(commands: $0, transcript: nil) }
        ).recorded().scenario
        scenario.rules = rules(of: scenario)
        return scenario
    }

    private static func reaches(_ cell: Cell, _ lines: [String], _ policy: Policy) -> Bool {
        var isReached = false
        let watch: ScenarioRunner.Watch = { machine, input in
            if !isReached, Cell.of(input, machine).contains(cell) { isReached = true }
        }
        _ = Play(lines, policy, watch: watch)
        return isReached
    }

    private static func shortest(_ lines: [String], _ cell: Cell, _ policy: Policy) -> [String] {
        Play.shortest(lines) { reaches(cell, $0, policy) }
    }

    /// The lines up to the one in which the cell is reached.
    private static func prefix(_ lines: [String], _ cell: Cell, _ policy: Policy) -> [String] {
        var (low, high) = (0, lines.count)
        while low < high {
            let middle = (low + high) / 2
            if reaches(cell, Array(lines[..<middle]), policy) { high = middle } else { low = middle + 1 }
        }
        return Array(lines[..<low])
    }

    /// Each word that does not matter is left out.
    private static func simplified(_ lines: [String], where shows: ([String]) -> Bool) -> [String] {
        var best = lines
        for index in best.indices {
            if best[index].hasPrefix("#"), let space = best[index].firstIndex(of: " ") {
                var candidate = best
                candidate[index] = String(best[index][best[index].index(after: space)...])
                if shows(candidate) { best = candidate }
            }
            let words = best[index].split(separator: " ").map(String.init)
            for word in words where word.contains("=") && !word.contains("\"") {
                var candidate = best
                candidate[index] = best[index].replacing(" \(word)", with: "", maxReplacements: 1)
                if shows(candidate) { best = candidate }
            }
        }
        return best
    }

    /// The calls named A, B, C and the screeners s1, s2 in the order in which they appear.
    private static func renamed(_ lines: [String]) -> [String] {
        var names: [String: String] = [:]
        var screeners: [Substring: String] = [:]
        return lines.map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).map { word in
                let bare = word.hasSuffix(";") ? word.dropLast() : word
                let parts = bare.split(separator: "/", maxSplits: 1)
                guard let last = parts.last, isCall(last) else { return screener(bare, &screeners) ?? String(word) }
                let name = names[String(last)] ?? CallID(high: 0, low: UInt64(names.count)).scenarioText
                names[String(last)] = name
                return String(word).replacing(String(last), with: name, maxReplacements: 1)
            }.joined(separator: " ")
        }
    }

    private static func screener(_ word: Substring, _ names: inout [Substring: String]) -> String? {
        guard word.first == "s", word.count > 1, word.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        let name = names[word] ?? "s\(names.count + 1)"
        names[word] = name
        return name
    }

    private static func isCall(_ word: Substring) -> Bool {
        guard let first = word.first, first.isASCII, first.isUppercase else { return false }
        return word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// The rules by which something was performed.
    private static func rules(of scenario: Scenario) -> [Int] {
        let words = scenario.blocks.flatMap { $0.transcript ?? [] }.filter { $0.hasPrefix("perform") }
            .flatMap { $0.split(separator: " ") }
        return Set(words.filter { $0.hasPrefix("rule=") }.compactMap { Int($0.dropFirst(5)) }).sorted()
    }
}
