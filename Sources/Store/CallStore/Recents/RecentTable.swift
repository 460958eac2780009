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
        let handle = record.handle?.value ?? ""
        let values: [(String, any DatabaseValueConvertible)] = [
            ("provider", record.provider.rawValue), ("direction", record.direction.rawValue),
            ("handleType", record.handle?.type.rawValue ?? ""), ("handle", handle),
            ("normalized", normalized), ("name", record.name), ("nameSource", record.nameSource.rawValue),
            ("video", record.video), ("started", Int64(clamping: record.startedAt)),
            ("connected", Int64(clamping: record.connectedAt)),
            ("ended", Int64(clamping: record.endedAt)), ("duration", Int64(clamping: record.duration)),
            ("reason", record.reason), ("endedBy", record.endedBy), ("filtered", record.filtered),
            ("filteredBy", record.filteredBy), ("screening", record.screening), ("missed", record.isMissed),
            ("open", record.isOpen),
            ("party", try Party.id(handle: handle, normalized: normalized, name: record.name, database)),
            ("providerNumber", try number(of: record.provider, database)),
        ]
        let call = record.call.description
        if let old = try Row.fetchOne(
            database, sql: "SELECT id, missed FROM recent WHERE call = ?", arguments: [call])
        {
            let id: Int64 = try old.decode(forColumn: "id")
            // What the user has seen stays seen, if it is the same that is said again.
            let isRead =
                try old.decode(forColumn: "missed") == record.isMissed ? "" : ", read = \(record.isMissed ? 0 : 1)"
            let assignments = values.map { "\($0.0) = ?" }.joined(separator: ", ")
            try database.execute(
                sql: "UPDATE recent SET \(assignments)\(isRead) WHERE id = ?",
                arguments: StatementArguments(values.map(\.1)) + [id])
            return (id, false)
        }
        let names = values.map(\.0).joined(separator: ", ")
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        try database.execute(
            sql: "INSERT INTO recent (call, read, \(names)) VALUES (?, ?, \(marks))",
            arguments: [call, !record.isMissed] + StatementArguments(values.map(\.1)))
        let id = database.lastInsertedRowID
        try RecentBlock.rowAdded(id, database)
        return (id, true)
    }

    /// A provider's number, by which its rows are found; a new one for one that is new.
    private static func number(of provider: ProviderID, _ database: Database) throws -> Int64 {
        if let number = try Party.providerNumber(provider.rawValue, database) { return number }
        try database.execute(
            sql: "INSERT INTO providerNumber (provider) VALUES (?)", arguments: [provider.rawValue])
        return database.lastInsertedRowID
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
        try Row.fetchOne(database, sql: "SELECT * FROM recent WHERE id = ?", arguments: [id]).flatMap {
            try RecentRow($0)
        }
    }

    /// Counted by triggers.
    static func unreadMissed(_ database: Database) throws -> Int {
        Int(clamping: try Setting.value(Setting.unread, database) ?? 0)
    }

    /// Counted by triggers.
    static func count(_ database: Database) throws -> Int {
        Int(clamping: min(try Setting.value(Setting.count, database) ?? 0, 1 << 40))
    }

    /// - Parameter ids: none = all.
    static func markRead(_ ids: [Int64], _ database: Database) throws {
        if ids.isEmpty { try database.execute(sql: "UPDATE recent SET read = 1 WHERE missed AND NOT read") }
        for id in ids { try database.execute(sql: "UPDATE recent SET read = 1 WHERE id = ?", arguments: [id]) }
    }

    static func delete(_ ids: [Int64], _ database: Database) throws {
        for id in ids { try database.execute(sql: "DELETE FROM recent WHERE id = ? AND NOT open", arguments: [id]) }
    }

    /// Deletes all rows but those of calls that go on. What follows from rows is made anew: row by row would take long.
    static func clear(_ database: Database) throws {
        try database.execute(sql: "DROP TRIGGER recentDeleted")
        try database.execute(sql: "DELETE FROM recent WHERE NOT open")
        try database.execute(sql: "DELETE FROM recentBlock; DELETE FROM partyBlock")
        try database.execute(sql: "DELETE FROM party WHERE id NOT IN (SELECT party FROM recent)")
        try database.execute(sql: "DELETE FROM providerNumber WHERE number NOT IN (SELECT providerNumber FROM recent)")
        try Schema.count(database)
        try database.execute(sql: Schema.deletionTrigger)
    }
}

/// Numbers by name.
enum Setting {
    /// How many recents there are.
    static let count = "count"
    /// How many missed calls nobody has seen.
    static let unread = "unread"

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
