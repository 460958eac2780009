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
    /// The calls of more parties are read from the overview.
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

    /// Selects the ids of the page. Names the index to read: SQLite does not know how many calls a provider or a party has,
    /// and would look up half of all rows one by one.
    private func ids(_ database: Database) throws -> SQL {
        let conditions = filter.conditions
        let source: SQL
        if let parties = filter.parties {
            let isNarrow = try conditions.isEmpty && offset <= Self.nearOffset && areFew(parties, database)
            let tables =
                isNarrow
                ? "found CROSS JOIN recent INDEXED BY recentByParty"
                : "recent INDEXED BY recentOverview CROSS JOIN found"
            source = """
                WITH found (party) AS MATERIALIZED (\(parties))
                SELECT recent.id FROM \(sql: tables) USING (party)
                """
        } else {
            let isNarrow = conditions.count == 1 && offset <= Self.nearOffset
            let index = (isNarrow ? conditions.first?.index : nil) ?? "recentOverview"
            source = "SELECT recent.id FROM recent INDEXED BY \(sql: index)"
        }
        var all = conditions.map(\.sql)
        if let before = filter.before { all.append("recent.id < \(before)") }
        let filtered = all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
        return source + filtered
            + " ORDER BY recent.id DESC LIMIT \(min(limit, Self.maximumRows)) OFFSET \(offset)"
    }

    private func areFew(_ parties: SQL, _ database: Database) throws -> Bool {
        let count = try SQLRequest<Int>(literal: "SELECT count(*) FROM (\(parties) LIMIT \(Self.fewParties + 1))")
            .fetchOne(database)
        return count ?? 0 <= Self.fewParties
    }
}
