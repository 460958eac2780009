// Schema: the tables of recents.sqlite.

internal import GRDB

enum Schema {
    /// Makes the tables of a new file. A migration that has been released is never changed.
    static func migrate(_ connection: DatabaseQueue) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try makeParties(database)
            try makeRecents(database)
            try makeFavorites(database)
            try database.create(table: "setting", options: .withoutRowID) { table in
                table.primaryKey("name", .text)
                table.column("value", .integer).notNull()
            }
        }
        migrator.registerMigration("2") { database in
            try makeDays(database)
            // What the network told of the end of a call.
            try database.alter(table: "recent") { table in
                for column in ["endDetail", "endCode"] { table.add(column: column, .text).notNull().defaults(to: "") }
            }
        }
        try migrator.migrate(connection)
    }

    /// One row for all calls with the same handle and name. Text is searched here: there are far fewer parties than calls.
    private static func makeParties(_ database: Database) throws {
        try database.create(table: "party") { table in
            table.autoIncrementedPrimaryKey("id")
            for column in ["handleType", "handle", "normalized", "name", "text"] {
                table.column(column, .text).notNull()
            }
            // Also the index of the normalized handle.
            table.uniqueKey(["normalized", "handle", "handleType", "name"])
        }
        // The text is in lower case already: Unicode's, not what a tokenizer takes for it.
        try database.create(virtualTable: "partyText", using: FTS5()) { table in
            table.tokenizer = FTS5TokenizerDescriptor(components: ["trigram", "case_sensitive", "1"])
            table.synchronize(withTable: "party")
            table.columnSize = 0
            table.column("text")
        }
    }

    private static func makeRecents(_ database: Database) throws {
        try database.create(table: "recent") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("call", .text).notNull().unique()
            table.column("party", .integer).notNull().references("party")
            for column in ["provider", "direction", "nameSource"] { table.column(column, .text).notNull() }
            for column in ["started", "connected", "ended", "duration"] { table.column(column, .integer).notNull() }
            for column in ["reason", "endedBy", "filtered", "filteredBy", "screening", "screeningReason"] {
                table.column(column, .text).notNull()
            }
            for column in ["video", "missed", "open", "read"] { table.column(column, .boolean).notNull() }
        }
        // The newest calls with one party, of one provider, and the newest missed calls.
        try database.create(index: "recentByParty", on: "recent", columns: ["party"])
        try database.create(index: "recentByProvider", on: "recent", columns: ["provider"])
        try database.create(index: "recentMissed", on: "recent", columns: ["id"], condition: Column("missed"))
        // All columns by which calls are filtered: reading this index alone answers any filter.
        try database.create(
            index: "recentOverview", on: "recent",
            columns: ["id", "provider", "direction", "missed", "started", "party"])
        // The calls that are too old to be kept.
        try database.create(index: "recentByStart", on: "recent", columns: ["started"])
        // The calls that a killed daemon left open.
        try database.create(index: "recentOpen", on: "recent", columns: ["id"], condition: Column("open"))
        // The missed calls that the user has not seen.
        try database.create(
            index: "recentUnread", on: "recent", columns: ["id"], condition: Column("missed") && !Column("read"))
    }

    /// The last row that was taken in on each day since the epoch. For earlier rows their own dates have to do.
    private static func makeDays(_ database: Database) throws {
        try database.create(table: "recentDay") { table in
            table.primaryKey("day", .integer)
            table.column("last", .integer).notNull()
        }
        try database.execute(
            sql:
                "INSERT INTO recentDay (day, last) SELECT started / 86400000000 AS date, max(id) FROM recent GROUP BY date"
        )
        try database.drop(index: "recentByStart")
    }

    private static func makeFavorites(_ database: Database) throws {
        try database.create(table: "favorite") { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("position", .integer).notNull()
            for column in ["handleType", "handle", "normalized", "name", "provider"] {
                table.column(column, .text).notNull()
            }
            table.uniqueKey(["normalized", "handleType", "provider"])
        }
    }
}
