// RecentTable: reads and changes the recents in the file.

internal import CallModel
internal import SQLite

enum RecentTable {
    /// Writes a record, replacing the earlier row of its call.
    ///
    /// - Returns: the row's id.
    static func record(_ record: CallRecord, normalized: String, _ database: Database) throws -> Int64 {
        let party = try PartyTable.id(of: record.handle, normalized: normalized, name: record.name, database)
        let known = try Row.fetchOne(
            database, sql: "SELECT id, party, missed, read FROM recent WHERE call = ?",
            arguments: [record.call.description])
        guard let known else {
            try RecentRow(id: nil, party: party, record: record, isRead: !record.isMissed).write(database)
            return database.lastInsertedRowID
        }
        let id: Int64 = try known.decode(forColumn: "id")
        let oldParty: Int64 = try known.decode(forColumn: "party")
        // What the user has seen stays seen.
        let isSame = try known.decode(forColumn: "missed") == record.isMissed
        let isRead = isSame ? try known.decode(forColumn: "read") : !record.isMissed
        try RecentRow(id: id, party: party, record: record, isRead: isRead).write(database)
        if oldParty != party { try PartyTable.deleteUnused(of: "\(oldParty)", database) }
        return id
    }

    /// Ends the calls that were under way when the process ended that had them.
    ///
    /// - Parameter calls: those of this process.
    static func closeInterrupted(_ database: Database, except calls: Set<CallID> = []) throws {
        let own = calls.isEmpty ? "[]" : "[\"\(calls.map(\.description).joined(separator: "\",\""))\"]"
        try database.execute(
            sql: """
                UPDATE recent SET open = FALSE, reason = ?, endedBy = ?, ended = max(started, connected),
                    missed = (direction = 'incoming' AND connected = 0),
                    read = NOT (direction = 'incoming' AND connected = 0)
                WHERE open AND call NOT IN (SELECT value FROM json_each(?))
                """,
            arguments: [CallRecord.Reason.interrupted.word, Origin.system.rawValue, own])
    }

    static func row(_ id: Int64, _ database: Database) throws -> RecentRow? {
        try RecentRow.fetchOne(database, RecentRow.selection + " WHERE recent.id = \(id)")
    }

    /// The provider of the last call with a handle that reached the user or was made.
    static func lastProvider(of normalized: String, _ database: Database) throws -> String? {
        try String.fetchOne(
            database,
            sql: """
                SELECT provider FROM recent JOIN party ON party.id = recent.party
                WHERE party.normalized = ? AND party.handle <> '' AND recent.filtered = ''
                ORDER BY recent.id DESC LIMIT 1
                """, arguments: [normalized])
    }

    static func count(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM recent") ?? 0
    }

    static func unreadMissed(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM recent WHERE missed AND NOT read") ?? 0
    }

    /// Returns the rows with these ids, in the order of the ids.
    static func rows(_ ids: [Int64], _ database: Database) throws -> [RecentRow] {
        try ids.compactMap { try row($0, database) }
    }

    /// - Returns: how many rows were not read before.
    static func markRead(_ ids: [Int64], _ database: Database) throws -> UInt32 {
        try markRead(where: hasID(in: ids), database)
    }

    /// How many rows are changed at a time: others have their turns in between. Each portion changes nearly all pages of some
    /// indexes, so that many small ones take far longer than a few.
    static let portion = 200_000

    /// Marks a portion of the rows.
    ///
    /// - Returns: how many rows were not read before.
    static func markAllRead(portion: Int = RecentTable.portion, _ database: Database) throws -> UInt32 {
        try markRead(
            where: "id IN (SELECT id FROM recent WHERE missed AND NOT read ORDER BY id LIMIT \(portion))", database)
    }

    private static func markRead(where condition: SQL, _ database: Database) throws -> UInt32 {
        try database.execute("UPDATE recent SET read = TRUE WHERE missed AND NOT read AND \(condition)")
        return UInt32(clamping: database.changesCount)
    }

    /// - Returns: how many rows were deleted.
    static func delete(_ ids: [Int64], _ database: Database) throws -> UInt32 {
        try delete(where: hasID(in: ids), database)
    }

    /// One parameter for any number of ids. A statement takes few parameters: 32,766 unless SQLite is built otherwise.
    private static func hasID(in ids: [Int64]) -> SQL {
        "id IN (SELECT value FROM json_each(\(ids.description)))"
    }

    /// The last row; 0 if there is none.
    static func last(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT max(id) FROM recent") ?? 0
    }

    /// Deletes a portion of the rows up to one, except those of open calls. What remains of them in the index of texts is for
    /// `PartyTable.forgetTexts`.
    ///
    /// - Returns: how many rows were deleted.
    static func clear(upTo last: Int64, portion: Int = RecentTable.portion, _ database: Database) throws -> UInt32 {
        try delete(where: firstPortion(upTo: last, portion), isPortion: true, database)
    }

    static func firstPortion(upTo last: Int64, _ portion: Int = RecentTable.portion) -> SQL {
        "id IN (SELECT id FROM recent WHERE id <= \(last) AND NOT open ORDER BY id LIMIT \(portion))"
    }

    /// Deletes the matching rows except those of open calls.
    ///
    /// - Returns: how many rows were deleted.
    static func delete(where condition: SQL, isPortion: Bool = false, _ database: Database) throws -> UInt32 {
        // Only numbers: the rows do not pass through the program, which takes longer than to delete them.
        try database.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS emptied (party INTEGER PRIMARY KEY)")
        try database.execute("INSERT OR IGNORE INTO emptied SELECT party FROM recent WHERE \(condition) AND NOT open")
        try database.execute("DELETE FROM recent WHERE \(condition) AND NOT open")
        let count = UInt32(clamping: database.changesCount)
        try PartyTable.deleteUnused(of: "SELECT party FROM emptied", isPortion: isPortion, database)
        try database.execute(sql: "DELETE FROM emptied")
        return count
    }
}
