// RecentTable: rows of the recents in the file.

internal import CallModel
internal import GRDB

/// Statements on the table `recent`. All of them take their time on the disk's queue.
enum RecentTable {
    /// Writes what is known of a call, in the place of what was known of it.
    ///
    /// - Returns: the row's id, and whether it is new.
    static func record(
        _ record: CallRecord, normalized: String, _ database: Database
    ) throws -> (id: Int64, isNew: Bool) {
        let started = Int64(clamping: record.startedAt)
        let values: [(String, any DatabaseValueConvertible)] = [
            ("provider", record.provider.rawValue), ("direction", record.direction.rawValue),
            ("handleType", record.handle?.type.rawValue ?? ""), ("handle", record.handle?.value ?? ""),
            ("normalized", normalized), ("name", record.name), ("nameSource", record.nameSource.rawValue),
            ("video", record.video), ("started", started), ("connected", Int64(clamping: record.connectedAt)),
            ("ended", Int64(clamping: record.endedAt)), ("duration", Int64(clamping: record.duration)),
            ("reason", record.reason), ("endedBy", record.endedBy), ("filtered", record.filtered),
            ("filteredBy", record.filteredBy), ("screening", record.screening), ("missed", record.isMissed),
            ("open", record.isOpen),
        ]
        let call = record.call.description
        if let old = try Row.fetchOne(
            database, sql: "SELECT id, missed, started FROM recent WHERE call = ?", arguments: [call])
        {
            let id: Int64 = old["id"]
            if old["started"] != started { try Disorder.note(started, of: id, database) }
            // What the user has seen stays seen, if it is the same that is said again.
            let isRead = old["missed"] == record.isMissed ? "" : ", read = \(record.isMissed ? 0 : 1)"
            let assignments = values.map { "\($0.0) = ?" }.joined(separator: ", ")
            try database.execute(
                sql: "UPDATE recent SET \(assignments)\(isRead) WHERE id = ?",
                arguments: StatementArguments(values.map(\.1)) + [id])
            return (id, false)
        }
        try Disorder.note(started, of: .max, database)
        let names = values.map(\.0).joined(separator: ", ")
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try database.execute(
            sql: "INSERT INTO recent (call, read, \(names)) VALUES (?, ?, \(marks))",
            arguments: [call, !record.isMissed] + StatementArguments(values.map(\.1)))
        return (database.lastInsertedRowID, true)
    }

    /// Closes the rows of calls whose end nobody saw: they were open when the last process ended.
    static func closeInterrupted(_ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE recent SET open = 0, reason = ?, endedBy = 'system', ended = max(started, connected),
                    missed = (direction = 'incoming' AND connected = 0),
                    read = NOT (direction = 'incoming' AND connected = 0)
                WHERE open
                """,
            arguments: [CallRecord.interrupted])
    }

    static func row(_ id: Int64, _ database: Database) throws -> RecentRow? {
        try Row.fetchOne(database, sql: "SELECT * FROM recent WHERE id = ?", arguments: [id]).flatMap(RecentRow.init)
    }

    static func unreadMissed(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM recent WHERE missed AND NOT read") ?? 0
    }

    static func count(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM recent") ?? 0
    }

    /// - Parameter ids: none = all.
    static func markRead(_ ids: [Int64], _ database: Database) throws {
        if ids.isEmpty { try database.execute(sql: "UPDATE recent SET read = 1 WHERE missed AND NOT read") }
        for id in ids { try database.execute(sql: "UPDATE recent SET read = 1 WHERE id = ?", arguments: [id]) }
    }

    static func delete(_ ids: [Int64], _ database: Database) throws {
        for id in ids { try database.execute(sql: "DELETE FROM recent WHERE id = ? AND NOT open", arguments: [id]) }
    }

    /// Deletes all rows but those of calls that go on. The index of texts is made anew: row by row would take long.
    static func clear(_ database: Database) throws {
        try database.execute(sql: "DROP TRIGGER recentDeleted")
        try database.execute(sql: "DELETE FROM recent WHERE NOT open")
        try database.execute(sql: "INSERT INTO recentText (recentText) VALUES ('rebuild')")
        try database.execute(sql: Schema.deletionTrigger)
    }
}

/// How far the clock has gone back between one call and a later one. It says between which ids the calls of some hours are:
/// they are in the order of their beginnings, but for that much.
enum Disorder {
    private static let setting = "disorder"

    /// Takes in that the call of this row began then.
    static func note(_ started: Int64, of id: Int64, _ database: Database) throws {
        let latest = try Int64.fetchOne(database, sql: "SELECT max(started) FROM recent") ?? started
        let earliestAfter =
            id == .max
            ? nil : try Int64.fetchOne(database, sql: "SELECT min(started) FROM recent WHERE id > ?", arguments: [id])
        let span = max(latest - started, started - (earliestAfter ?? started))
        if span > (try Setting.value(setting, database) ?? 0) { try Setting.set(setting, span, database) }
    }

    /// The ids that calls which began then may have.
    static func bounds(since: Int64?, until: Int64?, _ database: Database) throws -> (above: Int64?, below: Int64?) {
        let span = try Setting.value(setting, database) ?? 0
        var above: Int64?
        var below: Int64?
        if let since, since > span {
            above = try Int64.fetchOne(
                database, sql: "SELECT id FROM recent WHERE started < ? ORDER BY started DESC LIMIT 1",
                arguments: [since - span])
        }
        if let until, until < .max - span {
            below = try Int64.fetchOne(
                database, sql: "SELECT id FROM recent WHERE started > ? ORDER BY started LIMIT 1",
                arguments: [until + span])
        }
        return (above, below)
    }
}

/// Numbers by name.
enum Setting {
    static func value(_ name: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    static func set(_ name: String, _ value: Int64, _ database: Database) throws {
        try database.execute(
            sql:
                "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            arguments: [name, value])
    }
}
