// Migration: a step from one form of the tables to the next.

public struct Migration {
    private let identifier: String
    private let change: (Database) throws -> Void

    public init(_ identifier: String, _ change: @escaping (Database) throws -> Void) {
        (self.identifier, self.change) = (identifier, change)
    }

    /// Makes the changes that were not made in the file yet, each in a transaction. The file notes them as GRDB did, which
    /// has made those of earlier builds.
    public static func run(_ migrations: [Migration], on connection: Connection) throws {
        let known = try connection.withoutTransaction { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            return Set(try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations"))
        }
        for migration in migrations where !known.contains(migration.identifier) {
            try connection.write { database in
                try migration.change(database)
                try database.execute("INSERT INTO grdb_migrations (identifier) VALUES (\(migration.identifier))")
            }
        }
    }
}
