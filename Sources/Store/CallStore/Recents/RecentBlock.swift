// RecentBlock: what 2,048 rows in a row are found by, in one piece.

internal import Foundation
internal import GRDB

/// Derived from the table `recent`, whose triggers delete it when what it says is not so any more: a block that is there
/// is right. So any page is found by reading nine bytes of each row at most.
struct RecentBlock {
    /// A block has the rows whose ids are the same but for so many bits.
    static let bits: Int64 = 11
    private static let size = 1 << Int(bits)

    /// How many rows it has, and when the first and the last of their calls began.
    struct Summary {
        var count = 0
        var earliest = Int64.max
        var latest = Int64.min
    }

    let number: Int64
    private(set) var summary = Summary()
    /// For each slot its flags, then for each in four bytes the provider's number, then the party's.
    private var words: [UInt8]
    /// For each slot when its call began, in eight bytes, the lower four first.
    private var times: [UInt8]

    /// Puts a block together from the table.
    init(_ number: Int64, _ database: Database) throws {
        self.number = number
        words = Array(repeating: 0, count: 9 * Self.size)
        times = Array(repeating: 0, count: 8 * Self.size)
        let first = number << Self.bits
        let statement = try database.cachedStatement(
            sql: """
                SELECT id, direction = 'incoming', missed, providerNumber, party, started FROM recent
                WHERE id BETWEEN ? AND ?
                """)
        let rows = try Row.fetchCursor(statement, arguments: [first, first + Int64(Self.size) - 1])
        while let row = try rows.next() {
            let slot = Int(try row.decode(Int64.self, atIndex: 0) &- first)
            guard (0..<Self.size).contains(slot) else { throw StorageFailure.corrupt("recents are not in order") }
            words[slot] = RecentFlag.present
            if try row.decode(atIndex: 1) { words[slot] |= RecentFlag.incoming }
            if try row.decode(atIndex: 2) { words[slot] |= RecentFlag.missed }
            let numbers: (provider: Int64, party: Int64) = (try row.decode(atIndex: 3), try row.decode(atIndex: 4))
            words.put(UInt32(truncatingIfNeeded: numbers.provider), at: Self.size + 4 * slot)
            words.put(UInt32(truncatingIfNeeded: numbers.party), at: 5 * Self.size + 4 * slot)
            let started: Int64 = try row.decode(atIndex: 5)
            times.put(UInt32(truncatingIfNeeded: started), at: 8 * slot)
            times.put(UInt32(truncatingIfNeeded: started >> 32), at: 8 * slot + 4)
            summary.count += 1
            summary.earliest = min(summary.earliest, started)
            summary.latest = max(summary.latest, started)
        }
    }

    func store(_ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO recentBlock (id, count, earliest, latest, words, times)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [number, summary.count, summary.earliest, summary.latest, Data(words), Data(times)])
    }

    /// Looks for rows that are as `condition` wants them, from the newest on.
    ///
    /// - Parameters:
    ///   - top: the highest id that counts.
    ///   - needsTimes: whether some of the rows began at another time than is asked for.
    ///   - found: is called with the id of each row until it returns false.
    /// - Returns: false if `found` did.
    func search(
        _ condition: RecentCondition, upTo top: Int64, needsTimes: Bool, found: (Int64) -> Bool
    ) -> Bool {
        let first = number << Self.bits
        let (mask, wanted) = (RecentFlag.present | condition.mask, RecentFlag.present | condition.wanted)
        let (provider, isOfOneProvider) = (condition.provider ?? 0, condition.provider != nil)
        let (parties, isOfSomeParties) = (condition.parties ?? PartySet(), condition.parties != nil)
        var slot = Int(min(top - first, Int64(Self.size) - 1))
        while slot >= 0 {
            defer { slot -= 1 }
            guard words[slot] & mask == wanted else { continue }
            if isOfOneProvider, words.number(at: Self.size + 4 * slot) != provider { continue }
            if isOfSomeParties, !parties.contains(words.number(at: 5 * Self.size + 4 * slot)) { continue }
            if needsTimes {
                let upper = Int64(Int32(bitPattern: times.number(at: 8 * slot + 4)))
                let started = upper << 32 | Int64(times.number(at: 8 * slot))
                if started < condition.since || started > condition.until { continue }
            }
            guard found(first + Int64(slot)) else { return false }
        }
        return true
    }
}

extension RecentBlock {
    /// A block as it was stored.
    init?(stored number: Int64, _ summary: Summary, withTimes: Bool, _ database: Database) throws {
        let statement = try database.cachedStatement(sql: "SELECT words FROM recentBlock WHERE id = ?")
        guard let data = try Data.fetchOne(statement, arguments: [number]), data.count == 9 * Self.size else {
            return nil
        }
        self.number = number
        self.summary = summary
        words = Array(data)
        times = []
        guard withTimes else { return }
        let timeStatement = try database.cachedStatement(sql: "SELECT times FROM recentBlock WHERE id = ?")
        guard let data = try Data.fetchOne(timeStatement, arguments: [number]), data.count == 8 * Self.size else {
            return nil
        }
        times = Array(data)
    }

    /// Stores the block before that of a row which is the first of its own: it will seldom change again.
    static func rowAdded(_ id: Int64, _ database: Database) throws {
        let block = id >> bits
        if id == block << bits, block > 0 { try RecentBlock(block - 1, database).store(database) }
    }
}
