// Favorite: one favorite, and its row in the file.

internal import CallModel
internal import CallWire
internal import DBus
internal import Numbers
internal import SQLite

struct Favorite: Sendable, Hashable {
    let id: Int64
    let handle: Handle
    /// The normalized handle.
    let normalized: String
    var name: String
    /// The id of the provider to call with; "" = any.
    let provider: String

    /// What List returns.
    var wire: VariantDictionary {
        [
            "id": .int64(id), "handle": Variant(handle.wire), "name": .string(name), "provider-id": .string(provider),
        ]
    }
}

extension Favorite {
    /// Returns the favorite with the normalized handle of the present region.
    func normalized(by plan: NumberPlan) -> Favorite {
        Favorite(id: id, handle: handle, normalized: plan.normalized(handle), name: name, provider: provider)
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
                id: try row.decode(forColumn: "id"), handle: handle,
                normalized: try row.decode(forColumn: "normalized"),
                name: try row.decode(forColumn: "name"),
                provider: try row.decode(forColumn: "provider"))
        }
    }

    /// The ids, in the order of the favorites.
    static func ids(_ database: Database) throws -> [Int64] {
        try Int64.fetchAll(database, sql: "SELECT id FROM favorite ORDER BY position, id")
    }

    static func count(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM favorite") ?? 0
    }

    /// Returns the favorite with this handle, in any notation, and this provider.
    static func id(of handle: Handle, _ normalized: String, _ provider: String, _ database: Database) throws -> Int64? {
        try Int64.fetchOne(
            database, sql: "SELECT id FROM favorite WHERE normalized = ? AND handleType = ? AND provider = ?",
            arguments: [normalized, handle.type.rawValue, provider])
    }

    /// Adds a favorite at the end.
    static func add(
        _ handle: Handle, _ normalized: String, _ name: String, _ provider: String, _ database: Database
    ) throws -> Int64 {
        try database.execute(
            sql: """
                INSERT INTO favorite (position, handleType, handle, normalized, name, provider)
                VALUES ((SELECT coalesce(max(position), -1) + 1 FROM favorite), ?, ?, ?, ?, ?)
                """,
            arguments: [handle.type.rawValue, handle.value, normalized, name, provider])
        return database.lastInsertedRowID
    }

    static func rename(_ id: Int64, _ name: String, _ database: Database) throws {
        try database.execute(sql: "UPDATE favorite SET name = ? WHERE id = ?", arguments: [name, id])
    }

    /// Replaces the normalized handles. A favorite that is now the same as another one keeps its old form.
    static func normalize(_ favorites: [Favorite], _ database: Database) throws {
        for favorite in favorites {
            try database.execute(
                sql: "UPDATE OR IGNORE favorite SET normalized = ? WHERE id = ?",
                arguments: [favorite.normalized, favorite.id])
        }
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
