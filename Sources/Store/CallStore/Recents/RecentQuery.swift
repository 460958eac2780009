// RecentQuery: a page of the recents.

internal import CallModel
internal import GRDB

/// One page, newest first.
struct RecentQuery: Sendable, Hashable {
    var filter = RecentFilter()
    var offset = 0
    var limit = 50

    /// The most rows, and the most bytes, of one answer.
    static let maximumRows = 200
    static let maximumWeight = 96 << 10

    /// - Parameter missing: gets the blocks that had to be made for it.
    func rows(missing: inout MissingBlocks, _ database: Database) throws -> [RecentRow] {
        let statement = try database.cachedStatement(sql: "SELECT * FROM recent WHERE id = ?")
        var rows: [RecentRow] = []
        var weight = 0
        for id in try ids(&missing, database) {
            guard let found = try Row.fetchOne(statement, arguments: [id]), let row = try RecentRow(found) else {
                continue
            }
            weight += row.weight
            if weight > Self.maximumWeight, !rows.isEmpty { break }
            rows.append(row)
        }
        return rows
    }

    private func ids(_ missing: inout MissingBlocks, _ database: Database) throws -> [Int64] {
        let limit = min(limit, Self.maximumRows)
        guard limit > 0, let condition = try condition(&missing, database) else { return [] }
        let isTimed = filter.since != nil || filter.until != nil
        let top = filter.before.map { max($0, 0) - 1 } ?? .max
        if condition.isEmpty, !isTimed, offset == 0 {
            return try Int64.fetchAll(
                database, sql: "SELECT id FROM recent WHERE id <= ? ORDER BY id DESC LIMIT ?", arguments: [top, limit])
        }
        var ids: [Int64] = []
        var left = offset
        var walk = try BlockWalk(below: top, database)
        while let (number, stored) = try walk.step() {
            let isWhole = top >> RecentBlock.bits > number
            var made: RecentBlock?
            if stored == nil {
                missing.recents.append(number)
                made = try RecentBlock(number, database)
            }
            guard let summary = stored ?? made?.summary else { continue }
            guard summary.earliest <= condition.until, summary.latest >= condition.since else { continue }
            let needsTimes = summary.earliest < condition.since || summary.latest > condition.until
            if isWhole, condition.isEmpty, !needsTimes, (0...left).contains(summary.count) {
                left -= summary.count
                continue
            }
            let block =
                try made ?? RecentBlock(stored: number, summary, withTimes: needsTimes, database)
                ?? RecentBlock(number, database)
            let goesOn = block.search(condition, upTo: top, needsTimes: needsTimes) { id in
                if left > 0 {
                    left -= 1
                } else {
                    ids.append(id)
                }
                return ids.count < limit
            }
            guard goesOn else { break }
        }
        return ids
    }

    /// What the rows must be like; nil if there can be none.
    private func condition(_ missing: inout MissingBlocks, _ database: Database) throws -> RecentCondition? {
        var condition = RecentCondition(filter)
        guard condition.since <= condition.until else { return nil }
        if let provider = filter.provider {
            guard let number = try Party.providerNumber(provider, database) else { return nil }
            condition.provider = UInt32(truncatingIfNeeded: number)
        }
        if let normalized = filter.normalized {
            condition.parties = try Party.all(normalized: normalized, database)
        }
        let spellings = filter.spellings
        if !spellings.isEmpty, condition.parties?.isEmpty != true {
            let parties = try Party.all(having: spellings, missing: &missing.parties, database)
            condition.parties = condition.parties.map { $0.intersection(parties) } ?? parties
        }
        return condition.parties?.isEmpty == true ? nil : condition
    }
}
