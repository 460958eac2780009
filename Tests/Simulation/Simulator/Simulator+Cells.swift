// `simulator cells`: a scenario for each cell of the decision table that the simulation reaches, and the map of them.

import CallScenario
import CallSimulation
import Foundation

extension Simulator {
    /// `cells --scenarios FOLDER --to FOLDER [--steps N] [--seed S] [--jobs J]`: simulates, then writes scenarios into the
    /// second folder until each cell that was reached is shown, there or in the first folder; and `map.md`. What was in
    /// the second folder is removed.
    static func cells(_ arguments: Arguments) async throws {
        guard let scenarios = arguments.text("scenarios"), let target = arguments.text("to") else {
            throw Arguments.Wrong(description: "--scenarios and --to are needed")
        }
        let folder = URL(filePath: target)
        try? FileManager.default.removeItem(at: folder)
        let series = try await series(arguments)
        var coverage = try ScenarioCoverage(ScenarioFiles(URL(filePath: scenarios)))
        let uncovered = series.reached.keys.filter { coverage.covered[$0] == nil }.sorted()
        let made = await cellScenarios(for: uncovered, series, jobs: try arguments.jobs)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A longer scenario often shows other cells as well; those need none of their own.
        for new in made.sorted(by: { ($1.length, $0.cell) < ($0.length, $1.cell) })
        where coverage.covered[new.cell] == nil {
            let file = folder.appending(path: new.cell.name + ".scenario")
            try new.scenario.text.write(to: file, atomically: true, encoding: .utf8)
            coverage.add("cells/\(new.cell.name)", new.scenario)
        }
        // Read again: the files are what is tested, and the map names them in their order.
        coverage = try ScenarioCoverage(ScenarioFiles(URL(filePath: scenarios), cells: folder))
        try coverage.map.write(to: folder.appending(path: "map.md"), atomically: true, encoding: .utf8)
        compare(series, coverage)
    }

    private struct Made {
        let cell: Cell
        let scenario: Scenario
        var length: Int { scenario.blocks.map(\.commands.count).reduce(0, +) }
    }

    /// Makes one scenario for each cell, side by side; those for which none is found are left out.
    private static func cellScenarios(for cells: [Cell], _ series: SimulationSeries, jobs: Int) async -> [Made] {
        await withTaskGroup(of: [Made].self) { group in
            for job in 0..<jobs {
                group.addTask {
                    stride(from: job, to: cells.count, by: jobs).map { cells[$0] }.compactMap { cell in
                        guard let sighting = series.reached[cell] else { return nil }
                        return CellScenario.make(for: cell, sighting).map { Made(cell: cell, scenario: $0) }
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Exits with 1 unless each cell that was reached is on the map and shown by a scenario.
    private static func compare(_ series: SimulationSeries, _ coverage: ScenarioCoverage) {
        let reached = series.reached.keys.sorted()
        let missing = reached.filter { coverage.covered[$0] == nil }
        let shown = Cell.all.count { coverage.covered[$0] != nil }
        let written = coverage.files.count { !$0.name.hasPrefix("cells/") }
        print(
            "arbitration: \(coverage.rules.intersection(1...24).count) of 24 rules shown, "
                + "\(reached.count - missing.count) of \(reached.count) cells reached are shown, "
                + "\(shown) of \(Cell.all.count) on the map, by \(written) scenarios "
                + "and \(coverage.files.count - written) made for cells")
        let strange = Set(reached).union(coverage.covered.keys).subtracting(Cell.all).sorted()
        if !strange.isEmpty { print("not on the map:\n" + strange.map { "  \($0)" }.joined(separator: "\n")) }
        for cell in missing {
            print("no scenario was found for \(cell), reached from seed \(series.reached[cell]?.seed ?? 0)")
        }
        if !missing.isEmpty || !strange.isEmpty { exit(1) }
    }
}
