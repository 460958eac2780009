// RecentQuery: a page of the recents.

internal import CallModel
internal import GRDB

/// One page, newest first.
struct RecentQuery: Sendable, Hashable {
    var filter = RecentFilter()
    var offset = 0
    var limit = 50
    /// How many rows there are, if that is known. Where none was deleted between others, the place of a row follows from it.
    var count: Int?
    /// Where the page before this one ended, if nothing has changed since: then nothing has to be passed over.
    var after: Int64?

    /// The most rows, and the most bytes, of one answer.
    static let maximumRows = 200
    static let maximumWeight = 96 << 10

    func rows(_ database: Database) throws -> [RecentRow] {
        var conditions: [String] = []
        var arguments: [any DatabaseValueConvertible] = []
        func require(_ condition: String, _ argument: any DatabaseValueConvertible) {
            conditions.append(condition)
            arguments.append(argument)
        }
        let spellings = filter.spellings
        let isIndexed = !spellings.isEmpty && spellings.allSatisfy { $0.unicodeScalars.count >= 3 }
        if isIndexed {
            let phrases = spellings.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
            require("recentText MATCH ?", phrases.joined(separator: " OR "))
        } else if !spellings.isEmpty {
            let columns = ["handle", "recent.normalized", "name"]
            let choices = spellings.flatMap { _ in columns.map { "\($0) LIKE ? ESCAPE '\\'" } }
            conditions.append("(" + choices.joined(separator: " OR ") + ")")
            for spelling in spellings { arguments += columns.map { _ in "%\(Self.escaped(spelling))%" } }
        }
        if let provider = filter.provider { require("provider = ?", provider) }
        if let missed = filter.missed { conditions.append(missed ? "missed" : "NOT missed") }
        // Whoever is missed has called: one condition less to look up.
        if let direction = filter.direction, filter.missed != true || direction == .outgoing {
            require("direction = ?", direction.rawValue)
        }
        if let normalized = filter.normalized { require("recent.normalized = ?", normalized) }
        let (above, below) = try Disorder.bounds(since: filter.since, until: filter.until, database)
        if let since = filter.since { require("started >= ?", since) }
        if let until = filter.until { require("started <= ?", until) }
        let key = isIndexed ? "recentText.rowid" : "id"
        if let above { require("\(key) > ?", above) }
        let place = filter == RecentFilter() && after == nil ? try firstID(database) : nil
        let highest = [below, filter.before, after, place.map { $0 + 1 }].compactMap { $0 }.min()
        if let highest { require("\(key) < ?", highest) }
        let source = isIndexed ? "recentText JOIN recent ON recent.id = recentText.rowid" : "recent"
        let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        arguments += [min(limit, Self.maximumRows), after == nil && place == nil ? offset : 0]
        let cursor = try Row.fetchCursor(
            database,
            sql: "SELECT recent.* FROM \(source) \(condition) ORDER BY \(key) DESC LIMIT ? OFFSET ?",
            arguments: StatementArguments(arguments))
        var rows: [RecentRow] = []
        var weight = 0
        while let found = try cursor.next() {
            guard let row = RecentRow(found) else { continue }
            weight += row.weight
            if weight > Self.maximumWeight, !rows.isEmpty { break }
            rows.append(row)
        }
        return rows
    }

    /// The id of the first row of the page among all rows; nil if they have to be counted.
    private func firstID(_ database: Database) throws -> Int64? {
        guard offset > 0, let count, let newest = try Int64.fetchOne(database, sql: "SELECT max(id) FROM recent"),
            let oldest = try Int64.fetchOne(database, sql: "SELECT min(id) FROM recent"),
            newest - oldest + 1 == Int64(count)
        else { return nil }
        return newest - Int64(offset)
    }

    /// Text as LIKE takes it for itself.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "\\%_".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
