// The scenario files: those that show the rules, and those that `make cells` makes.

package import CallScenario
package import Foundation

package struct ScenarioFiles: Sendable {
    /// Where the files that show the rules are.
    package let folder: URL
    /// Where `make cells` puts one file for each other cell of the decision table that the simulation reaches.
    package let cellFolder: URL?

    package init(_ folder: URL, cells: URL? = nil) {
        self.folder = folder
        cellFolder = cells
    }

    /// The names of the files that show the rules, without the ending, in order.
    package func names() throws -> [String] { try Self.names(in: folder) }

    /// The names of the files of cells, in order: `cells/` and the cell.
    package func cells() throws -> [String] { try cellFolder.map(Self.names(in:))?.map { "cells/\($0)" } ?? [] }

    package func url(of name: String) -> URL {
        let isCell = name.hasPrefix("cells/")
        let file = (isCell ? String(name.dropFirst(6)) : name) + ".scenario"
        return (isCell ? cellFolder ?? folder : folder).appending(path: file)
    }

    package func read(_ name: String) throws -> Scenario {
        try Scenario(text: String(contentsOf: url(of: name), encoding: .utf8))
    }

    private static func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(9)) }.sorted()
    }
}

extension ScenarioFiles {
    /// The root of this package.
    package static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    package static let all = ScenarioFiles(
        repository.appending(path: "Tests/Scenarios/Files"), cells: repository.appending(path: ".build/cells"))
    /// The map of the cells as `make cells` wrote it.
    package static let map = repository.appending(path: ".build/cells/map.md")

    /// Empty if there are none, for tests that say so.
    package static let names = (try? all.names()) ?? []
    package static let cells = playsCells ? (try? all.cells()) ?? [] : []

    /// Whether the tests play the files of the cells instead of those that show the rules: `CELLS=1`, after `make cells`.
    package static let playsCells = ProcessInfo.processInfo.environment["CELLS"] == "1"
    /// What is played in the core, with the host and with the daemon.
    package static let played = playsCells ? cells : names

    package static func read(_ name: String) throws -> Scenario { try all.read(name) }
}
