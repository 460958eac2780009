// Every cell of the decision table has its scenario, and the map of them says so.

import CallScenario
import CallSimulation
import Foundation
import Testing

@Suite struct CellTests {
    private func conformance() throws -> Conformance { try Conformance(folder: ScenarioFiles.folder) }

    @Test func theMapIsUpToDate() throws {
        let path = ScenarioFiles.folder.appending(path: "../../docs/cells.md").standardizedFileURL
        let written = try String(contentsOf: path, encoding: .utf8)
        #expect(try conformance().map == written, "docs/cells.md is not what the scenarios cover: run `make cells`")
    }

    @Test func everyScenarioOfACellReachesIt() throws {
        let conformance = try conformance()
        let files = conformance.files.filter { $0.name.hasPrefix("cells/") }
        #expect(files.count > 100)
        for file in files {
            let cells = Conformance.cells(of: file.scenario)
            #expect(cells.map(\.description).contains(file.scenario.title), "\(file.name) does not reach its cell")
        }
    }

    @Test func everyCellIsOnTheMapOnce() throws {
        #expect(Set(Cell.all).count == Cell.all.count)
        let strange = try Set(conformance().covered.keys).subtracting(Cell.all)
        #expect(strange.isEmpty, "\(strange.sorted())")
    }

    /// What the simulation reaches has a scenario; `make test` says the same of a million steps.
    @Test func everyCellThatIsReachedHasAScenario() throws {
        let conformance = try conformance()
        var campaign = Campaign()
        campaign.run(steps: 20_000, from: SimulationTests.firstSeed)
        let missing = campaign.reached.keys.filter { conformance.covered[$0] == nil }.sorted()
        #expect(missing.isEmpty, "reached, and no scenario shows: \(missing)")
        #expect(campaign.reached.count > 200)
    }
}
