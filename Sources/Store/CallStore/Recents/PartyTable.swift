// PartyTable: the other parties of calls, one row for all calls with the same handle and name.

internal import CallModel
internal import SQLite

enum PartyTable {
    /// Returns the text that is searched, in lower case. No search has a line break.
    static func text(handle: String, normalized: String, name: String) -> String {
        "\(handle)\n\(normalized)\n\(name)".lowercased()
    }

    /// Returns the party's id; adds the party if it is new.
    static func id(of handle: Handle?, normalized: String, name: String, _ database: Database) throws -> Int64 {
        let values = [normalized, handle?.value ?? "", handle?.type.rawValue ?? "", name]
        let known = try Int64.fetchOne(
            database, sql: "SELECT id FROM party WHERE (normalized, handle, handleType, name) = (?, ?, ?, ?)",
            arguments: values)
        if let known { return known }
        try database.execute(
            sql: "INSERT INTO party (normalized, handle, handleType, name, text) VALUES (?, ?, ?, ?, ?)",
            arguments: values + [text(handle: values[1], normalized: normalized, name: name)])
        return database.lastInsertedRowID
    }

    /// Deletes those of the parties that have no calls left.
    ///
    /// - Parameters:
    ///   - ids: a list of ids.
    ///   - isPortion: whether `forgetTexts` is called later.
    static func deleteUnused(of ids: SQL, isPortion: Bool = false, _ database: Database) throws {
        try database.execute(
            "DELETE FROM party WHERE id IN (\(ids)) AND NOT EXISTS (SELECT 1 FROM recent WHERE party = party.id)")
        if database.changesCount > 0, !isPortion { try forgetTexts(database) }
    }

    /// Rewrites the index of texts without the deleted ones, which otherwise remain in the file.
    static func forgetTexts(_ database: Database) throws {
        try database.execute(sql: "INSERT INTO partyText (partyText) VALUES ('optimize')")
    }
}
