// If there are too many rows, the oldest of the program that has most are deleted.

import CallModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite struct RecentSharesTests {
    /// A file with so many rows of each provider, one provider after the other.
    private func withRows(_ rows: [(provider: String, count: Int)], _ body: (Database) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "opencallkit-shares-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = DatabaseFile(folder: folder)
        var random = SeededGenerator(seed: 1)
        try file.write { database in
            for (name, count) in rows {
                let provider = try #require(ProviderID(name))
                for number in 0..<count {
                    var record = CallRecord(
                        .random(using: &random), provider: provider, direction: .incoming,
                        startedAt: WallTime(microseconds: UInt64(number)))
                    record.end = CallRecord.End(
                        at: WallTime(microseconds: UInt64(number)), reason: .ended(.unanswered), by: .remote)
                    _ = try RecentTable.record(record, normalized: "", database)
                }
            }
            try body(database)
        }
        file.close()
    }

    private func counts(_ database: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(database, sql: "SELECT provider, count(*) AS rows FROM recent GROUP BY provider")
        return Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                (try row.decode(String.self, forColumn: "provider"), try row.decode(Int.self, forColumn: "rows"))
            })
    }

    @Test func theOneWithMostLosesItsOldest() throws {
        try withRows([("Phone", 10), ("Chat", 30), ("app_org_2eexample_2eA__Flood", 100)]) { database in
            _ = try Retention(days: 0, rows: 100).prune(at: .test, database)
            #expect(try counts(database) == ["Phone": 10, "Chat": 30, "app_org_2eexample_2eA__Flood": 60])
            let oldest = try Int.fetchOne(database, sql: "SELECT min(started) FROM recent WHERE provider LIKE 'app%'")
            #expect(oldest == 40)
            _ = try Retention(days: 0, rows: 50).prune(at: .test, database)
            #expect(try counts(database) == ["Phone": 10, "Chat": 20, "app_org_2eexample_2eA__Flood": 20])
            _ = try Retention(days: 0, rows: 3).prune(at: .test, database)
            #expect(try counts(database) == ["Phone": 1, "Chat": 1, "app_org_2eexample_2eA__Flood": 1])
        }
    }

    @Test func anAppHasOneShareWhateverItsProvidersAreCalled() throws {
        let flood = (0..<50).map { (provider: "app_org_2eexample_2eA__F\($0)", count: 2) }
        let unknown = (0..<50).map { (provider: "app__3a1_2e\($0)__F", count: 1) }
        try withRows([("Phone", 20)] + flood + unknown) { database in
            _ = try Retention(days: 0, rows: 60).prune(at: .test, database)
            let counts = try counts(database)
            #expect(counts["Phone"] == 20)
            #expect(counts.filter { $0.key.hasPrefix("app_org") }.values.reduce(0, +) == 20)
            #expect(counts.filter { $0.key.hasPrefix("app__3a") }.values.reduce(0, +) == 20)
        }
    }
}
