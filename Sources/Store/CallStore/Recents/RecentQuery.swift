// RecentQuery: a page of the recents.

internal import CallModel
internal import SQLite

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
    /// The calls of more parties are read from the overview.
    private static let fewParties = 1_000

    func rows(_ database: Database) throws -> [RecentRow] {
        let request: SQL = "\(RecentRow.selection) WHERE recent.id IN (\(try ids(database))) ORDER BY recent.id DESC"
        var rows: [RecentRow] = []
        var weight = 0
        try database.forEach(request) { found in
            guard let row = try RecentRow(found) else { return true }
            weight += row.weight
            if weight > Self.maximumWeight, !rows.isEmpty { return false }
            rows.append(row)
            return true
        }
        return rows
    }

    /// Selects the ids of the page.
    private func ids(_ database: Database) throws -> SQL {
        let index = try index(database)
        var conditions = filter.conditions.map(\.sql)
        if let before = filter.before { conditions.append("id < \(before)") }
        let filtered = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        return "SELECT id FROM recent INDEXED BY \(sql: index)" + filtered
            + " ORDER BY id DESC LIMIT \(min(limit, Self.maximumRows)) OFFSET \(offset)"
    }

    /// Returns the index to read. SQLite does not know how many calls a provider or a party has, and would look up half of
    /// all rows one by one.
    private func index(_ database: Database) throws -> String {
        let overview = "recentOverview"
        let conditions = filter.conditions
        guard conditions.count == 1, offset <= Self.nearOffset, let index = conditions.first?.index else {
            return overview
        }
        guard let parties = filter.parties else { return index }
        let count = try Int.fetchOne(
            database, "SELECT count(*) FROM (\(parties) LIMIT \(Self.fewParties + 1))")
        return count ?? 0 > Self.fewParties ? overview : index
    }
}
