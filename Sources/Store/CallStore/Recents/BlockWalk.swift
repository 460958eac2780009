// BlockWalk: from block to block of the recents, from the newest on.

internal import GRDB

/// Comes to every block that has rows, whether it is stored or not.
struct BlockWalk {
    private let highest: Statement
    private let stored: RowCursor
    /// The next stored block.
    private var next: (number: Int64, summary: RecentBlock.Summary)?
    private var top: Int64

    /// - Parameter top: the highest id that counts.
    init(below top: Int64, _ database: Database) throws {
        self.top = top
        highest = try database.cachedStatement(sql: "SELECT max(id) FROM recent WHERE id <= ?")
        let statement = try database.cachedStatement(
            sql: "SELECT id, count, earliest, latest FROM recentBlock WHERE id <= ? ORDER BY id DESC")
        stored = try Row.fetchCursor(statement, arguments: [top >> RecentBlock.bits])
        try advance()
    }

    private mutating func advance() throws {
        next = try stored.next().map { row in
            let summary = RecentBlock.Summary(
                count: try row.decode(atIndex: 1), earliest: try row.decode(atIndex: 2),
                latest: try row.decode(atIndex: 3))
            return (try row.decode(atIndex: 0), summary)
        }
    }

    /// The next block, with its summary if it is stored; nil after the last.
    mutating func step() throws -> (number: Int64, summary: RecentBlock.Summary?)? {
        guard let number = try nextNumber() else { return nil }
        top = number << RecentBlock.bits - 1
        while let next, next.number > number { try advance() }
        guard let next, next.number == number else { return (number, nil) }
        try advance()
        return (number, next.summary)
    }

    private mutating func nextNumber() throws -> Int64? {
        guard top >= 0 else { return nil }
        // Usually one follows the other.
        if let next, next.number == top >> RecentBlock.bits { return next.number }
        let id = try Int64.fetchOne(highest, arguments: [top]) ?? -1
        return id < 0 ? nil : id >> RecentBlock.bits
    }
}
