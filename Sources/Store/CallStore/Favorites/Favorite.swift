// Favorite: one favorite, and its row in the file.

internal import CallModel
internal import CallWire
internal import DBus
internal import GRDB

struct Favorite: Sendable, Hashable {
    let id: Int64
    let handle: Handle
    let name: String
    /// The id of the provider to call with; "" = any.
    let provider: String

    /// What List returns.
    var wire: VariantDictionary {
        [
            "id": .int64(id), "handle": Variant(handle.wire), "name": .string(name), "provider": .string(provider),
        ]
    }
}

/// Reads and changes the favorites in the file.
enum FavoriteTable {
    static let maximum = 1_000

    static func list(_ database: Database) throws -> [Favorite] {
        try Row.fetchAll(database, sql: "SELECT * FROM favorite ORDER BY position, id").compactMap { row in
            let value: String = try row.decode(forColumn: "handle")
            guard let type = HandleType(rawValue: try row.decode(forColumn: "handleType")),
                let handle = try? Handle(type: type, value: value)
            else { return nil }
            return Favorite(
                id: try row.decode(forColumn: "id"), handle: handle, name: try row.decode(forColumn: "name"),
                provider: try row.decode(forColumn: "provider"))
        }
    }

    /// Adds a favorite at the end.
    static func add(_ handle: Handle, _ name: String, _ provider: String, _ database: Database) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO favorite (position, handleType, handle, name, provider)
                VALUES ((SELECT coalesce(max(position), -1) + 1 FROM favorite), ?, ?, ?, ?)
                """,
            arguments: [handle.type.rawValue, handle.value, name, provider])
        return database.lastInsertedRowID
    }

    static func rename(_ id: Int64, _ name: String, _ database: Database) throws {
        try database.execute(sql: "UPDATE favorite SET name = ? WHERE id = ?", arguments: [name, id])
    }

    static func remove(_ id: Int64, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM favorite WHERE id = ?", arguments: [id])
    }

    static func order(_ ids: [Int64], _ database: Database) throws {
        for (position, id) in ids.enumerated() {
            try database.execute(
                sql: "UPDATE favorite SET position = ? WHERE id = ?", arguments: [Int64(position), id])
        }
    }
}
