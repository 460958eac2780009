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
        let texts: [String]

        init(id: Int64, record: CallRecord, normalized: String) {
            (self.id, self.record, self.normalized) = (id, record, normalized)
            texts = [record.handle?.value ?? "", normalized, record.name].map { $0.lowercased() }
        }
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
        let spellings = filter.spellings.map { $0.lowercased() }
        return known.reversed().filter { row in
            let started = Int64(row.record.startedAt)
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
        let moment = Int64(known.randomElement(using: &random)?.record.startedAt ?? 0)
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
        let span = random.next() % 2 == 0 ? 5_000_000_000 : 100_000_000_000 as Int64
        if Bool.random(using: &random) { filter.since = moment - Int64.random(in: 0...span, using: &random) }
        if Bool.random(using: &random) { filter.until = moment + Int64.random(in: 0...span, using: &random) }
        if Int.random(in: 0...4, using: &random) == 0 {
            filter.before = Int64.random(in: 1...Int64(known.count + 100), using: &random)
        }
        return filter
    }

    private func expectPages(
        _ rounds: Int, of known: [Known], _ connection: DatabaseQueue, _ random: inout SeededGenerator
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

    /// With blocks that were stored and blocks that were not, before and after rows have changed and have gone.
    @Test func anyFilterFindsWhatAPlainSearchFinds() throws {
        var random = SeededGenerator(seed: 7)
        let connection = try DatabaseQueue()
        try Schema.migrate(connection)
        var known = try history(4_500, connection, &random)
        #expect(try connection.read { try Self.stored("recentBlock", $0) } == [0, 1], "full blocks are stored")
        try expectPages(200, of: known, connection, &random)
        for _ in 0..<4 {
            try change(&known, connection, &random)
            try expectPages(30, of: known, connection, &random)
            var missing = MissingBlocks()
            try connection.read { database in
                _ = try RecentQuery(offset: known.count + 1).rows(missing: &missing, database)
                _ = try RecentQuery(filter: .having("nobody has this")).rows(missing: &missing, database)
            }
            #expect(!missing.recents.isEmpty && missing.parties == [0], "what has changed is made anew")
            #expect(try connection.write { try missing.stored($0) }.recents.isEmpty)
            try expectPages(30, of: known, connection, &random)
            #expect(try connection.read { try RecentTable.count($0) } == known.count)
        }
        try connection.write { try RecentTable.clear($0) }
        for table in ["recent", "party", "providerNumber", "recentBlock", "partyBlock"] {
            #expect(try connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0)
        }
        #expect(try connection.read { try (RecentTable.count($0), RecentTable.unreadMissed($0)) } == (0, 0))
    }

    /// Some rows go, and of others something else is said.
    private func change(_ known: inout [Known], _ connection: DatabaseQueue, _ random: inout SeededGenerator) throws {
        try connection.write { database in
            let gone = Set((0..<20).compactMap { _ in known.prefix(2_000).randomElement(using: &random)?.id })
            try RecentTable.delete(Array(gone), database)
            known.removeAll { gone.contains($0.id) }
            let place = Int.random(in: 0..<known.count, using: &random)
            var record = known[place].record
            (record.name, record.reason) = ("Monkey \(random.next())", "unanswered")
            record.startedAt += 70_000_000_000
            _ = try RecentTable.record(record, normalized: known[place].normalized, database)
            known[place] = Known(id: known[place].id, record: record, normalized: known[place].normalized)
        }
    }

    private static func stored(_ table: String, _ database: Database) throws -> [Int64] {
        try Int64.fetchAll(database, sql: "SELECT id FROM \(table) ORDER BY id")
    }

    /// More parties than one block has, of which each is found by its name and gone with its last call.
    @Test func partiesComeAndGo() throws {
        var random = SeededGenerator(seed: 17)
        let connection = try DatabaseQueue()
        try Schema.migrate(connection)
        var ids: [Int64] = []
        try connection.write { database in
            for number in 0..<2_500 {
                var record = try Self.record(number, startedAt: UInt64(number), &random)
                record.name = "Åsa \(number)."
                ids.append(try RecentTable.record(record, normalized: "", database).id)
            }
        }
        #expect(try connection.read { try Self.stored("partyBlock", $0) } == [0, 1], "full blocks are stored")
        for number in [0, 1, 1_022, 1_023, 1_024, 2_047, 2_048, 2_499] {
            #expect(try connection.read { try RecentQuery(filter: .having("åsa \(number).")).ids($0) } == [ids[number]])
        }
        try connection.write { try RecentTable.delete([ids[1_024]], $0) }
        #expect(try connection.read { try RecentQuery(filter: .having("ÅSA 1024.")).ids($0) }.isEmpty)
        #expect(try connection.read { try Self.stored("partyBlock", $0) } != [0, 1], "it has gone from the block, too")
        #expect(try connection.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM party") } == 2_499)
    }

    /// A file of the first schema becomes one of the second, with all that was in it.
    @Test func olderFiles() throws {
        let connection = try DatabaseQueue()
        try Schema.migrator.migrate(connection, upTo: "1: favorites")
        try connection.write { database in
            for number in 1...3 {
                try database.execute(
                    sql: """
                        INSERT INTO recent (call, provider, direction, handleType, handle, normalized, name, nameSource,
                            video, started, connected, ended, duration, reason, endedBy, filtered, filteredBy, screening,
                            missed, open, read)
                        VALUES (?, ?, 'incoming', 'generic', ?, 'party', 'Åsa Ö', 'none', 0, 5, 0, 9, 0, 'unanswered',
                            'remote', '', '', '', 1, 0, ?)
                        """,
                    arguments: [
                        "0000000\(number)-0000-4000-8000-000000000000", number == 1 ? "Alpha" : "Beta", "h\(number)",
                        number == 3,
                    ])
            }
        }
        try Schema.migrate(connection)
        try connection.read { database in
            let found = try (
                RecentQuery(filter: .having("åsa")).ids(database), RecentQuery(filter: .having("H2")).ids(database)
            )
            #expect(found == ([3, 2, 1], [2]))
            var filter = RecentFilter()
            (filter.provider, filter.normalized) = ("Beta", "party")
            let ofParty = try RecentQuery(filter: filter).ids(database)
            #expect(ofParty == [3, 2])
            let counts = try (RecentTable.count(database), RecentTable.unreadMissed(database))
            #expect(counts == (3, 2))
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

extension RecentFilter {
    fileprivate static func having(_ text: String) -> RecentFilter {
        var filter = RecentFilter()
        filter.text = text
        return filter
    }
}

extension RecentQuery {
    fileprivate func ids(_ database: Database) throws -> [Int64] {
        var missing = MissingBlocks()
        return try rows(missing: &missing, database).map(\.id)
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
