// Damaged files: every request is answered or refused.

import CallModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite struct DamagedFileTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-damage-\(UUID().uuidString)"
    private var path: String { folder + "/" + DatabaseFile.name }

    /// An undamaged file, as bytes.
    private func goodFile() throws -> [UInt8] {
        var random = SeededGenerator(seed: 3)
        let file = DatabaseFile(folder: folder)
        try file.write { database in
            for number in 0..<2_200 {
                _ = try RecentTable.record(record(number, &random), normalized: "\(number)", database)
            }
            for number in 0..<20 {
                let handle = try Handle(type: .phoneNumber, value: "0701\(number)")
                _ = try FavoriteTable.add(handle, handle.value, "Favorite \(number)", "", database)
            }
        }
        file.close()
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private func record(_ number: Int, _ random: inout SeededGenerator) throws -> CallRecord {
        var record = CallRecord(
            .random(using: &random), provider: try #require(ProviderID("Alpha")), direction: .incoming,
            startedAt: WallTime(microseconds: UInt64(number) * 60_000_000))
        record.handle = try Handle(type: .phoneNumber, value: "0700\(number)")
        record.name = "Person \(number)"
        if number % 1_000 != 5 {
            record.end = CallRecord.End(at: record.startedAt, reason: .ended(.unanswered), by: .remote)
        }
        return record
    }

    /// All that the store does with a file.
    private func requests(_ random: inout SeededGenerator) throws -> [(Database) throws -> Void] {
        let record = try record(9_999, &random)
        return [
            { try RecentTable.closeInterrupted($0) },
            { _ = try Retention($0).prune(at: .test, $0) },
            { _ = try RecentTable.unreadMissed($0) },
            { try Self.list("", 0, $0) },
            { try Self.list("", 2_100, $0) },
            { try Self.list("person", 700, $0) },
            { try Self.list("7", 0, $0) },
            { _ = try RecentTable.record(record, normalized: "x", $0) },
            { _ = try FavoriteTable.list($0) },
            { _ = try RecentTable.markAllRead($0) },
            { _ = try RecentTable.markRead([3, 4], $0) },
            { _ = try RecentTable.delete([1, 1_000, 2_000], $0) },
            { _ = try Retention(days: 0, rows: 500).prune(at: .test, $0) },
            { _ = try Retention(days: 20_000, rows: 0).prune(at: .test, $0) },
            { _ = try RecentTable.clear(upTo: .max, $0) },
        ]
    }

    private static func list(_ text: String, _ offset: Int, _ database: Database) throws {
        var filter = RecentFilter()
        filter.text = text
        _ = try RecentQuery(filter: filter, offset: offset).rows(database)
    }

    /// A failure is reported as damage, for which the file is set aside: waiting would not mend it.
    @Test func everyQuestionIsAnsweredOrRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let good = try goodFile()
        var random = SeededGenerator(seed: 5)
        var refusals = 0
        for round in 0..<100 {
            var bytes = good
            for _ in 0..<[1, 2, 8, 64][round % 4] {
                bytes[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let file = DatabaseFile(folder: folder)
            for (number, request) in try requests(&random).enumerated() {
                do throws(StorageFailure) {
                    try file.write(request)
                } catch {
                    refusals += 1
                    guard case .corrupt = error else {
                        Issue.record("round \(round), request \(number): \(error.text)")
                        continue
                    }
                }
            }
            file.close()
        }
        #expect(refusals > 50, "hardly a file was damaged")
    }
}
