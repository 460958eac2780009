// The files that are played.

import CallScenario
import Foundation

enum ScenarioFiles {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Conformance").standardizedFileURL

    /// Without the ending, in order.
    static let names: [String] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(9)) }.sorted()
    }()

    static func read(_ name: String) throws -> Scenario {
        try Scenario(text: String(contentsOf: folder.appending(path: name + ".scenario"), encoding: .utf8))
    }
}
