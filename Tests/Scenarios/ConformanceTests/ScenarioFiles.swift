// The files that are played.

import CallScenario
import Foundation

enum ScenarioFiles {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Files").standardizedFileURL

    /// Those that show the rules, without the ending, in order.
    static let names = list("")
    /// Those that fill the map of the table's cells.
    static let cells = list("cells/")

    private static func list(_ below: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + below)) ?? []
        return names.filter { $0.hasSuffix(".scenario") }.map { below + $0.dropLast(9) }.sorted()
    }

    static func read(_ name: String) throws -> Scenario {
        try Scenario(text: String(contentsOf: folder.appending(path: name + ".scenario"), encoding: .utf8))
    }
}
