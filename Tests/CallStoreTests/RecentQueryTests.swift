// Pages of the recents against a plain filter of all rows.

import CallModel
import GRDB
import Numbers
import Testing

@testable import CallStore

@Suite struct RecentQueryTests {
    private struct Known {
        let id: Int64
        let record: CallRecord
        let normalized: String
    }

    /// A history in which the clock is set back and forth.
    private func history(_ count: Int, _ database: DatabaseQueue, _ random: inout SeededGenerator) throws -> [Known] {
        let plan = NumberPlan(region: "SE")
        var now: UInt64 = 1_790_000_000_000_000
        var known: [Known] = []
        try database.write { database in
            for number in 0..<count {
                now += UInt64.random(in: 0...60_000_000, using: &random)
                if number % 97 == 0 { now -= UInt64.random(in: 0...600_000_000, using: &random) }
                var record = try Self.record(number, startedAt: now, &random)
                let normalized = record.handle.map(plan.normalized) ?? ""
                let row = try RecentTable.record(record, normalized: normalized, database)
                if number % 3 == 0 {
                    // What is said of a call later stands in the same row.
                    record.startedAt += UInt64.random(in: 0...2_000_000, using: &random)
                    #expect(try RecentTable.record(record, normalized: normalized, database) == (row.id, false))
                }
                known.append(Known(id: row.id, record: record, normalized: normalized))
            }
        }
        return known
    }

    private static func record(
        _ number: Int, startedAt: UInt64, _ random: inout SeededGenerator
    ) throws -> CallRecord {
        let provider = try #require(ProviderID(["Alpha", "Beta", "Gamma"].randomElement(using: &random) ?? "Alpha"))
        var record = CallRecord(
            .random(using: &random), provider: provider,
            direction: Bool.random(using: &random) ? .incoming : .outgoing, startedAt: startedAt)
        let subscriber = Int.random(in: 600_000...600_030, using: &random)
        if number % 11 != 0 { record.handle = try Handle(type: .phoneNumber, value: "070-1\(subscriber)") }
        record.name = ["", "Monkey", "Banana \"B\"", "Ö_%", "ab"].randomElement(using: &random) ?? ""
        record.nameSource = record.name.isEmpty ? .none : .contacts
        record.reason = ["unanswered", "declined", "local-ended"].randomElement(using: &random) ?? ""
        record.isOpen = false
        return record
    }

    private func expected(_ known: [Known], _ filter: RecentFilter) -> [Int64] {
        known.reversed().filter { row in
            let texts = [row.record.handle?.value ?? "", row.normalized, row.record.name].map { $0.lowercased() }
            let spellings = filter.spellings.map { $0.lowercased() }
            let started = Int64(row.record.startedAt)
            return (spellings.isEmpty || spellings.contains { text in texts.contains { $0.contains(text) } })
                && (filter.provider ?? row.record.provider.rawValue) == row.record.provider.rawValue
                && (filter.direction ?? row.record.direction) == row.record.direction
                && (filter.missed ?? row.record.isMissed) == row.record.isMissed
                && (filter.normalized ?? row.normalized) == row.normalized
                && (filter.since ?? started) <= started && started <= (filter.until ?? started)
                && row.id < (filter.before ?? .max)
        }.map(\.id)
    }

    @Test func anyFilterFindsWhatAPlainSearchFinds() throws {
        var random = SeededGenerator(seed: 7)
        let connection = try DatabaseQueue()
        try Schema.migrate(connection)
        let known = try history(1_500, connection, &random)
        for _ in 0..<600 {
            var filter = RecentFilter()
            let moment = Int64(known.randomElement(using: &random)?.record.startedAt ?? 0)
            if Int.random(in: 0...2, using: &random) == 0 {
                filter.text =
                    [
                        "monkey", "a", "AB", "\"b\"", "_%", "600", "0701600", "+46 70", "nothing", "070-1600012", "%",
                    ].randomElement(using: &random) ?? ""
            }
            if Bool.random(using: &random) {
                filter.provider = ["Alpha", "Beta", "Nobody"].randomElement(using: &random)
            }
            if Bool.random(using: &random) { filter.direction = [.incoming, .outgoing].randomElement(using: &random) }
            if Int.random(in: 0...2, using: &random) == 0 { filter.missed = Bool.random(using: &random) }
            if Int.random(in: 0...4, using: &random) == 0 { filter.normalized = "+46701600007" }
            if Bool.random(using: &random) {
                filter.since = moment - Int64.random(in: 0...5_000_000_000, using: &random)
            }
            if Bool.random(using: &random) {
                filter.until = moment + Int64.random(in: 0...5_000_000_000, using: &random)
            }
            if Int.random(in: 0...4, using: &random) == 0 {
                filter.before = Int64.random(in: 1...1_600, using: &random)
            }
            let all = expected(known, filter)
            let offset = Int.random(in: 0...20, using: &random)
            let query = RecentQuery(filter: filter, offset: offset, limit: 30)
            let found = try connection.read { try query.rows($0) }.map(\.id)
            #expect(found == Array(all.dropFirst(offset).prefix(30)), "\(filter)")
            // The page after it, from where it ended.
            if let end = found.last {
                let next = RecentQuery(filter: filter, offset: offset + found.count, limit: 30, after: end)
                let after = try connection.read { try next.rows($0) }.map(\.id)
                #expect(after == Array(all.dropFirst(offset + found.count).prefix(30)), "\(filter)")
            }
        }
    }

    /// Far pages of all rows, before and after some between them are gone.
    @Test func farPages() throws {
        var random = SeededGenerator(seed: 13)
        let connection = try DatabaseQueue()
        try Schema.migrate(connection)
        var ids = try history(300, connection, &random).map(\.id)
        for round in 0..<3 {
            for offset in [0, 1, 150, 299, 300, 5_000] {
                let query = RecentQuery(offset: offset, limit: 20, count: ids.count)
                let found = try connection.read { try query.rows($0) }.map(\.id)
                #expect(found == Array(ids.reversed().dropFirst(offset).prefix(20)), "\(offset)")
            }
            let gone = round == 0 ? [ids[0], ids[1]] : [ids[100], ids[200]]
            try connection.write { try RecentTable.delete(gone, $0) }
            ids.removeAll { gone.contains($0) }
        }
    }

    /// Said once more, a row is what it was, and what the user has seen stays seen.
    @Test func sayingItTwiceChangesNothing() throws {
        var random = SeededGenerator(seed: 11)
        let connection = try DatabaseQueue()
        try Schema.migrate(connection)
        try connection.write { database in
            var record = try Self.record(1, startedAt: 5, &random)
            (record.reason, record.connectedAt) = ("unanswered", 0)
            record = CallRecord(record, direction: .incoming)
            let (id, isNew) = try RecentTable.record(record, normalized: "x", database)
            #expect(isNew)
            #expect(try RecentTable.unreadMissed(database) == 1)
            try RecentTable.markRead([id], database)
            #expect(try RecentTable.record(record, normalized: "x", database) == (id, false))
            #expect(try RecentTable.unreadMissed(database) == 0)
            #expect(try RecentTable.row(id, database)?.record == record)
            #expect(try RecentTable.count(database) == 1)
        }
    }
}

extension CallRecord {
    fileprivate init(_ other: CallRecord, direction: CallDirection) {
        self.init(other.call, provider: other.provider, direction: direction, startedAt: other.startedAt)
        (handle, name, nameSource, reason, isOpen) = (other.handle, other.name, other.nameSource, other.reason, false)
    }
}

/// The same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
