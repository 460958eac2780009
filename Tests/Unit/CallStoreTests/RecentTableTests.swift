// Changes of many rows at once.

import CallModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite struct RecentTableTests {
    /// More ids than a statement has parameters for: 32,766, and 250,000 on Debian.
    @Test func anyNumberOfIDsIsTaken() throws {
        let folder = NSTemporaryDirectory() + "opencallkit-rows-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = DatabaseFile(folder: folder)
        let provider = try #require(ProviderID("Alpha"))
        var random = SeededGenerator(seed: 1)
        let ids = Array(Int64(2)...300_000)
        try file.write { database in
            for id in Int64(1)...3 {
                var record = CallRecord(
                    .random(using: &random), provider: provider, direction: .incoming,
                    startedAt: WallTime(microseconds: UInt64(id)))
                record.handle = try Handle(type: .phoneNumber, value: "\(id)")
                record.end = CallRecord.End(
                    at: WallTime(microseconds: UInt64(id)), reason: .ended(.unanswered), by: .remote)
                #expect(try RecentTable.record(record, normalized: "\(id)", database) == id)
            }
            #expect(try RecentTable.unreadMissed(database) == 3)
            _ = try RecentTable.markRead(ids, database)
            #expect(try RecentTable.unreadMissed(database) == 1)
            _ = try RecentTable.delete(ids, database)
            #expect(try RecentTable.count(database) == 1)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM party") == 1)
        }
        file.close()
    }
}
