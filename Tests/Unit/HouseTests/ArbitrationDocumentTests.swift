// The decision table names each of its scenarios once in a row.

import Foundation
import Testing

@Suite struct ArbitrationDocumentTests {
    @Test func noScenarioTwiceInARow() throws {
        let document = Repository.root.appending(path: "docs/arbitration.md")
        let rows = try String(contentsOf: document, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }
        try #require(rows.count > 23)
        for row in rows {
            let names = row.matches(of: /`([a-z0-9]+-[a-z0-9-]+)`/).map { String($0.1) }
            #expect(names.count == Set(names).count, "\(row)")
        }
    }
}
