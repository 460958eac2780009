// Every cell of the decision table that the simulation reaches has its scenario, and the map of them says so.

import CallScenario
import CallSimulation
import Foundation
import Testing

@Suite(.enabled(if: ScenarioFiles.playsCells)) struct CellTests {
    private func coverage() throws -> ScenarioCoverage {
        try #require(!ScenarioFiles.cells.isEmpty, ".build/cells is missing: run `make cells`")
        return try ScenarioCoverage(.all)
    }

    @Test func theMapIsUpToDate() throws {
        let coverage = try coverage()
        let written = try String(contentsOf: ScenarioFiles.map, encoding: .utf8)
        #expect(coverage.map == written, ".build/cells is out of date: run `make cells`")
    }

    @Test func everyScenarioOfACellReachesIt() throws {
        let files = try coverage().files.filter { $0.name.hasPrefix("cells/") }
        #expect(files.count > 100)
        for file in files {
            #expect(
                file.cells.map(\.description).contains(file.scenario.title), "\(file.name) does not reach its cell")
        }
    }

    @Test func everyCellIsOnTheMapOnce() throws {
        #expect(Set(Cell.all).count == Cell.all.count)
        let strange = try Set(coverage().covered.keys).subtracting(Cell.all)
        #expect(strange.isEmpty, "\(strange.sorted())")
    }

    /// What the simulation reaches has a scenario; `make cells` says the same of a million steps.
    @Test func everyCellThatIsReachedHasAScenario() throws {
        let coverage = try coverage()
        var series = SimulationSeries()
        series.run(steps: 20_000, from: SimulationTests.firstSeed)
        let missing = series.reached.keys.filter { coverage.covered[$0] == nil }.sorted()
        #expect(missing.isEmpty, "reached, and no scenario shows: \(missing)")
        #expect(series.reached.count > 200)
    }
}
