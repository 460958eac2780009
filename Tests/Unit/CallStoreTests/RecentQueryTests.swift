// Pages of the recents against a plain filter of all rows.

import CallModel
import Foundation
import Numbers
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite struct RecentQueryTests {
    private struct Known {
        let id: Int64
        let record: CallRecord
        let normalized: String
        let texts: [String]

        init(id: Int64, record: CallRecord, normalized: String) {
            (self.id, self.record, self.normalized) = (id, record, normalized)
            texts = [record.handle?.value ?? "", normalized, record.name].map { $0.lowercased() }
        }
    }

    /// A history in which the clock is set back and forth.
    private func history(_ count: Int, _ database: Connection, _ random: inout SeededGenerator) throws -> [Known] {
        let plan = NumberPlan(region: "SE")
        var now: UInt64 = 1_790_000_000_000_000
        var known: [Known] = []
        try database.write { database in
            for number in 0..<count {
                now += UInt64.random(in: 0...60_000_000, using: &random)
                if number % 97 == 0 { now -= UInt64.random(in: 0...600_000_000, using: &random) }
                var record = try Self.record(number, startedAt: WallTime(microseconds: now), &random)
                let normalized = record.handle.map(plan.normalized) ?? ""
                let id = try RecentTable.record(record, normalized: normalized, database)
                if number % 3 == 0 {
                    // A later record of the same call replaces the row.
                    record.startedAt += UInt64.random(in: 0...2_000_000, using: &random)
                    #expect(try RecentTable.record(record, normalized: normalized, database) == id)
                }
                known.append(Known(id: id, record: record, normalized: normalized))
            }
        }
        return known
    }

    private static func record(
        _ number: Int, startedAt: WallTime, _ random: inout SeededGenerator
    ) throws -> CallRecord {
        let provider = try #require(ProviderID(["Alpha", "Beta", "Gamma"].randomElement(using: &random) ?? "Alpha"))
        var record = CallRecord(
            .random(using: &random), provider: provider,
            direction: Bool.random(using: &random) ? .incoming : .outgoing, startedAt: startedAt)
        let subscriber = Int.random(in: 600_000...600_030, using: &random)
        if number % 11 != 0 { record.handle = try Handle(type: .phoneNumber, value: "070-1\(subscriber)") }
        record.name = ["", "Monkey", "Banana \"B\"", "Ö_%", "ab"].randomElement(using: &random) ?? ""
        record.nameSource = record.name.isEmpty ? .none : .contacts
        let reason: EndReason = [.unanswered, .declined, .localEnded].randomElement(using: &random) ?? .failed
        record.end = CallRecord.End(at: startedAt, reason: .ended(reason), by: .remote)
        return record
    }

    private func expected(_ known: [Known], _ filter: RecentFilter) -> [Int64] {
        let spellings = filter.spellings.map { $0.lowercased() }
        return known.reversed().filter { row in
            let started = row.record.startedAt
            return (filter.provider ?? row.record.provider.rawValue) == row.record.provider.rawValue
                && (filter.direction ?? row.record.direction) == row.record.direction
                && (filter.missed ?? row.record.isMissed) == row.record.isMissed
                && (filter.normalized ?? row.normalized) == row.normalized
                && (filter.since ?? started) <= started && started <= (filter.until ?? started)
                && row.id < (filter.before ?? .max)
                && (spellings.isEmpty || spellings.contains { text in row.texts.contains { $0.contains(text) } })
        }.map(\.id)
    }

    private func random(_ known: [Known], _ random: inout SeededGenerator) -> RecentFilter {
        var filter = RecentFilter()
        let moment = known.randomElement(using: &random)?.record.startedAt ?? 0
        if Int.random(in: 0...2, using: &random) == 0 {
            filter.text =
                [
                    "monkey", "a", "AB", "\"b\"", "_%", "600", "0701600", "+46 70", "nothing", "070-1600012", "%", "ö_",
                ].randomElement(using: &random) ?? ""
        }
        if Bool.random(using: &random) { filter.provider = ["Alpha", "Beta", "Nobody"].randomElement(using: &random) }
        if Bool.random(using: &random) { filter.direction = [.incoming, .outgoing].randomElement(using: &random) }
        if Int.random(in: 0...2, using: &random) == 0 { filter.missed = Bool.random(using: &random) }
        if Int.random(in: 0...4, using: &random) == 0 { filter.normalized = "+46701600007" }
        let span = random.next() % 2 == 0 ? 5_000_000_000 : 100_000_000_000 as UInt64
        if Bool.random(using: &random) {
            let before = UInt64.random(in: 0...span, using: &random)
            filter.since = WallTime(microseconds: moment.microseconds - min(moment.microseconds, before))
        }
        if Bool.random(using: &random) { filter.until = moment + UInt64.random(in: 0...span, using: &random) }
        if Int.random(in: 0...4, using: &random) == 0 {
            filter.before = Int64.random(in: 1...Int64(known.count + 100), using: &random)
        }
        return filter
    }

    private func expectPages(
        _ rounds: Int, of known: [Known], _ connection: Connection, _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<rounds {
            let filter = self.random(known, &random)
            let all = expected(known, filter)
            let offsets = [0, Int.random(in: 0...20, using: &random), Int.random(in: 0...known.count, using: &random)]
            let query = RecentQuery(filter: filter, offset: offsets.randomElement(using: &random) ?? 0, limit: 30)
            let found = try connection.read { try query.ids($0) }
            #expect(found == Array(all.dropFirst(query.offset).prefix(30)), "\(filter) after \(query.offset)")
        }
    }

    /// Before and after rows have changed and were deleted.
    @Test func anyFilterFindsWhatAPlainSearchFinds() throws {
        var random = SeededGenerator(seed: 7)
        let connection = try Connection()
        try Schema.migrate(connection)
        var known = try history(4_500, connection, &random)
        try expectPages(200, of: known, connection, &random)
        for _ in 0..<4 {
            try change(&known, connection, &random)
            try expectPages(60, of: known, connection, &random)
            #expect(try connection.read { try RecentTable.count($0) } == known.count)
        }
        try connection.write { _ = try RecentTable.clear(upTo: .max, $0) }
        for table in ["recent", "party", "partyText"] {
            #expect(try connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0)
        }
        #expect(try connection.read { try RecentTable.unreadMissed($0) } == 0)
    }

    /// Deletes some rows and changes another.
    private func change(_ known: inout [Known], _ connection: Connection, _ random: inout SeededGenerator) throws {
        try connection.write { database in
            let gone = Set((0..<20).compactMap { _ in known.prefix(2_000).randomElement(using: &random)?.id })
            _ = try RecentTable.delete(Array(gone), database)
            known.removeAll { gone.contains($0.id) }
            let place = Int.random(in: 0..<known.count, using: &random)
            var record = known[place].record
            record.name = "Monkey \(random.next())"
            record.startedAt += 70_000_000_000
            record.end = CallRecord.End(at: record.startedAt, reason: .ended(.unanswered), by: .remote)
            _ = try RecentTable.record(record, normalized: known[place].normalized, database)
            known[place] = Known(id: known[place].id, record: record, normalized: known[place].normalized)
        }
    }

    /// Each party is found by its name, and deleted with its last call.
    @Test func partiesComeAndGo() throws {
        var random = SeededGenerator(seed: 17)
        let connection = try Connection()
        try Schema.migrate(connection)
        var ids: [Int64] = []
        try connection.write { database in
            for number in 0..<2_500 {
                var record = try Self.record(number, startedAt: WallTime(microseconds: UInt64(number)), &random)
                record.name = "Åsa \(number)."
                ids.append(try RecentTable.record(record, normalized: "", database))
            }
        }
        for number in [0, 1, 1_022, 1_023, 1_024, 2_047, 2_048, 2_499] {
            #expect(try connection.read { try RecentQuery(filter: .having("åsa \(number).")).ids($0) } == [ids[number]])
        }
        try connection.write { _ = try RecentTable.delete([ids[1_024]], $0) }
        #expect(try connection.read { try RecentQuery(filter: .having("ÅSA 1024.")).ids($0) }.isEmpty)
        #expect(try connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM party") } == 2_499)
    }

    /// A name of a deleted call is not in the file any more, neither in full nor in parts of three letters.
    @Test func deletedNamesLeaveTheFile() throws {
        let folder = NSTemporaryDirectory() + "opencallkit-deleted-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var random = SeededGenerator(seed: 19)
        let file = DatabaseFile(folder: folder)
        let first = try file.write { database in
            try (0..<50).map { number in
                var record = try Self.record(number, startedAt: WallTime(microseconds: UInt64(number)), &random)
                record.name = number == 7 ? "Xyqzwv" : "Person \(number)"
                return try RecentTable.record(record, normalized: "", database)
            }
        }
        func holds(_ text: String) throws -> Bool {
            file.close()
            return try Data(contentsOf: URL(fileURLWithPath: file.path)).range(of: Data(text.utf8)) != nil
        }
        #expect(try holds("Xyqzwv") && holds("xyq"))
        try file.write { _ = try RecentTable.delete([first[7]], $0) }
        #expect(try !holds("Xyqzwv") && !holds("xyqzwv") && !holds("xyq"))
        #expect(try holds("Person 8"))
    }

    /// The same record again changes nothing, and what the user has seen stays seen.
    @Test func sayingItTwiceChangesNothing() throws {
        var random = SeededGenerator(seed: 11)
        let connection = try Connection()
        try Schema.migrate(connection)
        try connection.write { database in
            var record = try Self.record(1, startedAt: 5, &random)
            record = CallRecord(record, direction: .incoming)
            let id = try RecentTable.record(record, normalized: "x", database)
            #expect(try RecentTable.unreadMissed(database) == 1)
            _ = try RecentTable.markRead([id], database)
            #expect(try RecentTable.record(record, normalized: "x", database) == id)
            #expect(try RecentTable.unreadMissed(database) == 0)
            #expect(try RecentTable.row(id, database)?.record == record)
            #expect(try RecentTable.count(database) == 1)
        }
    }
}

extension RecentFilter {
    fileprivate static func having(_ text: String) -> RecentFilter {
        var filter = RecentFilter()
        filter.text = text
        return filter
    }
}

extension RecentQuery {
    fileprivate func ids(_ database: Database) throws -> [Int64] {
        try rows(database).compactMap(\.id)
    }
}

extension CallRecord {
    fileprivate init(_ other: CallRecord, direction: CallDirection) {
        self.init(other.call, provider: other.provider, direction: direction, startedAt: other.startedAt)
        (handle, name, nameSource) = (other.handle, other.name, other.nameSource)
        end = End(at: other.startedAt, reason: .ended(.unanswered), by: .remote)
    }
}
