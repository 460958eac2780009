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
    static func deleteUnused(of ids: Set<Int64>, _ database: Database) throws {
        let before = database.totalChangesCount
        for id in ids {
            try database.execute(
                sql: "DELETE FROM party WHERE id = ? AND NOT EXISTS (SELECT 1 FROM recent WHERE party = party.id)",
                arguments: [id])
        }
        guard database.totalChangesCount > before else { return }
        // Rewrites the index of texts without the deleted ones, which otherwise remain in the file.
        try database.execute(sql: "INSERT INTO partyText (partyText) VALUES ('optimize')")
    }
}
