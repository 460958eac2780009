// Setting: numbers by name, in the file.

internal import SQLite

enum Setting {
    static func value(_ name: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(database, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
    }

    static func remove(_ name: String, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name])
    }

    static func set(_ name: String, _ value: Int64, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", arguments: [name, value])
    }
}
