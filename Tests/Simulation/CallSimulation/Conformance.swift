// The scenario files, and which cells of the table they cover.

import CallCore
package import CallScenario
package import Foundation

package struct Conformance {
    package struct File {
        /// Without its ending; those that show nothing but a cell are in the folder `cells`.
        package let name: String
        package let scenario: Scenario
    }

    package let folder: URL
    package let files: [File]
    /// The files in which a cell is reached, in the order of their names.
    package private(set) var covered: [Cell: [String]] = [:]

    package init(folder: URL) throws {
        self.folder = folder
        let names = try Self.names(in: folder) + Self.names(in: folder.appending(path: "cells")).map { "cells/\($0)" }
        files = try names.map { name in
            let text = try String(contentsOf: folder.appending(path: name + ".scenario"), encoding: .utf8)
            return File(name: name, scenario: try Scenario(text: text))
        }
        for file in files { note(Self.cells(of: file.scenario), file.name) }
    }

    private static func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(9)) }.sorted()
    }

    package mutating func note(_ cells: some Sequence<Cell>, _ name: String) {
        for cell in cells { covered[cell, default: []].append(name) }
    }

    package static func cells(of scenario: Scenario) -> [Cell] {
        let log = CellLog()
        _ = scenario.recorded(watch: { log.note($1, $0) })
        return log.first.keys.sorted()
    }

    /// The rules of the table that are shown, each by a file that says so.
    package var rules: Set<Int> {
        Set(files.filter { !$0.name.hasPrefix("cells/") }.flatMap(\.scenario.rules))
    }
}
