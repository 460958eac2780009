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
    /// Pages further back are read from the overview.
    private static let nearOffset = 1_000
    /// The calls of more parties are not sorted, but met in the overview.
    private static let fewParties = 1_000

    func rows(_ database: Database) throws -> [RecentRow] {
        let request: SQL = "\(RecentRow.selection) WHERE recent.id IN (\(try ids(database))) ORDER BY recent.id DESC"
        let cursor = try SQLRequest<Row>(literal: request).fetchCursor(database)
        var rows: [RecentRow] = []
        var weight = 0
        while let found = try cursor.next() {
            guard let row = try RecentRow(found) else { continue }
            weight += row.weight
            if weight > Self.maximumWeight, !rows.isEmpty { break }
            rows.append(row)
        }
        return rows
    }

    private func ids(_ database: Database) throws -> SQL {
        let conditions = filter.conditions
        var all = conditions.map(\.sql)
        if let before = filter.before { all.append("id < \(before)") }
        let filtered = all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
        return "SELECT id FROM recent INDEXED BY \(sql: try index(for: conditions, database))" + filtered
            + " ORDER BY id DESC LIMIT \(min(limit, Self.maximumRows)) OFFSET \(offset)"
    }

    /// Returns the index to read. SQLite does not know how many calls a provider or a text has: left to itself it would
    /// look up half of all rows one by one.
    private func index(for conditions: [RecentFilter.Condition], _ database: Database) throws -> String {
        let overview = "recentOverview"
        guard conditions.count == 1, offset <= Self.nearOffset, let index = conditions.first?.index else {
            return overview
        }
        guard let parties = filter.partiesWithText else { return index }
        let count = try SQLRequest<Int>(literal: "SELECT count(*) FROM (\(parties) LIMIT \(Self.fewParties + 1))")
            .fetchOne(database)
        return count ?? 0 > Self.fewParties ? overview : index
    }
}
