// Schema: the tables of recents.sqlite, and how older files become newer ones.

internal import CallModel
internal import GRDB

enum Schema {
    /// Brings a file up to date. Each step is taken once, in this order; a step that was released is never changed.
    static func migrate(_ connection: DatabaseQueue) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: recents") { database in
            try database.execute(sql: recents)
            try database.execute(sql: search)
            try database.execute(sql: deletionTrigger)
        }
        migrator.registerMigration("1: favorites") { database in try database.execute(sql: favorites) }
        try migrator.migrate(connection)
    }

    /// Rows are shown newest first, by id, with which every index ends by itself: for each set of conditions there is one
    /// that has nothing between them and the id.
    private static let recents = """
        CREATE TABLE recent (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            call TEXT NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            direction TEXT NOT NULL,
            handleType TEXT NOT NULL,
            handle TEXT NOT NULL,
            normalized TEXT NOT NULL,
            name TEXT NOT NULL,
            nameSource TEXT NOT NULL,
            video INTEGER NOT NULL,
            started INTEGER NOT NULL,
            connected INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            duration INTEGER NOT NULL,
            reason TEXT NOT NULL,
            endedBy TEXT NOT NULL,
            filtered TEXT NOT NULL,
            filteredBy TEXT NOT NULL,
            screening TEXT NOT NULL,
            missed INTEGER NOT NULL,
            open INTEGER NOT NULL,
            read INTEGER NOT NULL
        );
        CREATE INDEX recentByStart ON recent (started);
        CREATE INDEX recentByProvider ON recent (provider);
        CREATE INDEX recentByProviderAndDirection ON recent (provider, direction);
        CREATE INDEX recentByDirection ON recent (direction);
        CREATE INDEX recentByHandle ON recent (normalized);
        CREATE INDEX recentMissed ON recent (missed) WHERE missed;
        CREATE INDEX recentMissedByProvider ON recent (provider) WHERE missed;
        CREATE INDEX recentUnread ON recent (read) WHERE missed AND NOT read;
        CREATE INDEX recentOpen ON recent (open) WHERE open;
        CREATE TABLE setting (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// Any three characters in a row are found without reading all rows.
    private static let search = """
        CREATE VIRTUAL TABLE recentText USING fts5(
            handle, normalized, name, content='recent', content_rowid='id', tokenize='trigram', columnsize=0);
        CREATE TRIGGER recentInserted AFTER INSERT ON recent BEGIN
            INSERT INTO recentText (rowid, handle, normalized, name)
                VALUES (new.id, new.handle, new.normalized, new.name);
        END;
        CREATE TRIGGER recentChanged AFTER UPDATE OF handle, normalized, name ON recent
        WHEN old.handle <> new.handle OR old.normalized <> new.normalized OR old.name <> new.name BEGIN
            INSERT INTO recentText (recentText, rowid, handle, normalized, name)
                VALUES ('delete', old.id, old.handle, old.normalized, old.name);
            INSERT INTO recentText (rowid, handle, normalized, name)
                VALUES (new.id, new.handle, new.normalized, new.name);
        END;
        """

    static let deletionTrigger = """
        CREATE TRIGGER recentDeleted AFTER DELETE ON recent BEGIN
            INSERT INTO recentText (recentText, rowid, handle, normalized, name)
                VALUES ('delete', old.id, old.handle, old.normalized, old.name);
        END;
        """

    private static let favorites = """
        CREATE TABLE favorite (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            position INTEGER NOT NULL,
            handleType TEXT NOT NULL,
            handle TEXT NOT NULL,
            name TEXT NOT NULL,
            provider TEXT NOT NULL
        );
        """
}
