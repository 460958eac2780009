// Which cells of the decision table the scenario files cover.

import CallCore
package import CallScenario

package struct ScenarioCoverage {
    package struct File {
        package let name: String
        package let scenario: Scenario
        /// The cells that it reaches.
        package let cells: [Cell]
    }

    package private(set) var files: [File] = []
    /// The names of the files in which a cell is reached, in their order.
    package private(set) var covered: [Cell: [String]] = [:]

    package init(_ files: ScenarioFiles) throws {
        for name in try files.names() + files.cells() { add(name, try files.read(name)) }
    }

    package mutating func add(_ name: String, _ scenario: Scenario) {
        let file = File(name: name, scenario: scenario, cells: Self.cells(of: scenario))
        files.append(file)
        for cell in file.cells { covered[cell, default: []].append(name) }
    }

    private static func cells(of scenario: Scenario) -> [Cell] {
        let log = CellLog()
        _ = scenario.recorded(watch: { log.note($1, $0) })
        return log.first.keys.sorted()
    }

    /// The rules of the table that are shown, each by a file that says so.
    package var rules: Set<Int> {
        Set(files.filter { !$0.name.hasPrefix("cells/") }.flatMap(\.scenario.rules))
    }
}
