// A scenario for a cell: the way on which the simulation got there, as short as it gets.

import CallCore
import CallModel
package import CallScenario

package struct CellScenario: Sendable {
    let cell: Cell
    let policy: Policy

    /// Returns the scenario, or nil if the cell is not reached in that simulation.
    package static func make(for cell: Cell, _ sighting: SimulationSeries.Sighting) -> Scenario? {
        var simulation = Simulation(seed: sighting.seed)
        let way = CellScenario(cell: cell, policy: simulation.runner.machine.policy)
        simulation.run()
        return way.scenario(simulation.runner.moves)
    }

    private func scenario(_ moves: [MoveRunner.Move]) -> Scenario? {
        guard let count = movesNeeded(moves, policy) else { return nil }
        let fewest = MoveRunner.shortest(Array(moves[..<count])) { movesNeeded($0, policy) != nil }
        let lines = renamed(MoveRunner.shortest(simplified(fewest.map(\.text))) { isShown(by: $0, policy) })
        guard isShown(by: lines, policy) else { return nil }
        return recorded(lines, isShown(by: lines, .desktop) ? .desktop : policy)
    }

    /// The moves up to the cell are given; the last one is shown, and what follows if every provider obeys.
    private func recorded(_ lines: [String], _ policy: Policy) -> Scenario {
        let blocks = [lines.dropLast().map { "given " + $0 }, lines.suffix(1), ["fulfil-all", "check"]]
        var scenario = Scenario(
            title: cell.description, rules: [], policy: policy,
            blocks: blocks.filter { !$0.isEmpty }.map { Scenario.Block(commands: $0, transcript: nil) }
        ).recorded().scenario
        scenario.rules = rules(of: scenario)
        return scenario
    }

    // MARK: Is the cell reached?

    private func isShown(by lines: [String], _ policy: Policy) -> Bool {
        movesNeeded(lines.map(MoveRunner.Move.command), policy) != nil
    }

    /// After how many moves the cell is reached; nil if it is not.
    private func movesNeeded(_ moves: [MoveRunner.Move], _ policy: Policy) -> Int? {
        let reached = Flag()
        var runner = MoveRunner(policy)
        runner.checksInvariants = false
        runner.watch = { machine, input in
            if !reached.isSet, Cell.of(input, machine).contains(cell) { reached.isSet = true }
        }
        for (index, move) in moves.enumerated() {
            runner.run(move)
            if reached.isSet { return index + 1 }
        }
        return nil
    }

    private final class Flag { var isSet = false }

    // MARK: Plain lines

    /// Leaves out each word that does not matter, and the number of each reply.
    private func simplified(_ lines: [String]) -> [String] {
        var best = lines
        func attempt(_ index: Int, _ line: String) {
            var candidate = best
            candidate[index] = line
            if isShown(by: candidate, policy) { best = candidate }
        }
        for index in best.indices {
            if best[index].hasPrefix("#") { attempt(index, String(best[index].drop { $0 != " " }.dropFirst())) }
            for word in best[index].split(separator: " ") where word.contains("=") && !word.contains("\"") {
                attempt(index, best[index].replacing(" \(word)", with: "", maxReplacements: 1))
            }
        }
        return best
    }

    /// Names calls A, B, C, screeners s1, s2 and audio agents g1, g2 in the order in which they appear.
    private func renamed(_ lines: [String]) -> [String] {
        var calls: [Substring: String] = [:]
        var screeners: [Substring: String] = [:]
        var agents: [Substring: String] = [:]
        func name(_ word: Substring) -> String? {
            guard let first = word.first, word.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            if first.isASCII, first.isUppercase {
                let name = calls[word] ?? CallID(high: 0, low: UInt64(calls.count)).scenarioText
                calls[word] = name
                return name
            }
            if first == "g", word.count > 1 {
                let name = agents[word] ?? "g\(agents.count + 1)"
                agents[word] = name
                return name
            }
            guard first == "s", word.count > 1 else { return nil }
            let name = screeners[word] ?? "s\(screeners.count + 1)"
            screeners[word] = name
            return name
        }
        return lines.map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).map { word in
                let bare = word.hasSuffix(";") ? word.dropLast() : word
                let last = bare.split(separator: "/", maxSplits: 1).last ?? bare
                return name(last).map { String(word).replacing(last, with: $0, maxReplacements: 1) } ?? String(word)
            }.joined(separator: " ")
        }
    }

    /// The rules by which something was performed.
    private func rules(of scenario: Scenario) -> [Int] {
        let words = scenario.blocks.flatMap { $0.transcript ?? [] }.filter { $0.hasPrefix("perform") }
            .flatMap { $0.split(separator: " ") }
        return Set(words.filter { $0.hasPrefix("rule=") }.compactMap { Int($0.dropFirst(5)) }).sorted()
    }
}
