// Schema: the tables of recents.sqlite, and how older files become newer ones.

internal import CallModel
internal import GRDB

enum Schema {
    /// Brings a file up to date. Each step is taken once, in this order; a step that was released is never changed.
    static func migrate(_ connection: DatabaseQueue) throws {
        try migrator.migrate(connection)
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: recents") { database in
            try database.execute(sql: recents)
            try database.execute(sql: search)
        }
        migrator.registerMigration("1: favorites") { database in try database.execute(sql: favorites) }
        migrator.registerMigration("2: parties") { database in
            let text = DatabaseFunction("partyText", argumentCount: 3, pure: true) { values in
                let words = values.map { String.fromDatabaseValue($0) ?? "" }
                return Party.text(handle: words[0], normalized: words[1], name: words[2])
            }
            database.add(function: text)
            try database.execute(sql: parties)
            database.remove(function: text)
            try database.execute(sql: deletionTrigger + changeTriggers)
            try count(database)
        }
        return migrator
    }

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

    /// Text is looked for among the parties, of whom there are few, and rows of any kind in blocks that have the numbers by
    /// which they are found. So there are few indices, and a row is cheap to write.
    private static let parties = """
        DROP TRIGGER recentInserted;
        DROP TRIGGER recentChanged;
        DROP TRIGGER IF EXISTS recentDeleted;
        DROP TABLE recentText;
        DROP INDEX recentByProvider;
        DROP INDEX recentByProviderAndDirection;
        DROP INDEX recentByDirection;
        DROP INDEX recentByHandle;
        DROP INDEX recentMissed;
        DROP INDEX recentMissedByProvider;
        CREATE TABLE party (
            id INTEGER PRIMARY KEY, normalized TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (text, normalized));
        CREATE INDEX partyByNormalized ON party (normalized);
        CREATE TABLE providerNumber (number INTEGER PRIMARY KEY, provider TEXT NOT NULL UNIQUE);
        ALTER TABLE recent ADD COLUMN party INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE recent ADD COLUMN providerNumber INTEGER NOT NULL DEFAULT 0;
        INSERT INTO party (normalized, text) SELECT DISTINCT normalized, partyText(handle, normalized, name) FROM recent;
        INSERT INTO providerNumber (provider) SELECT DISTINCT provider FROM recent;
        UPDATE recent SET
            party = (SELECT party.id FROM party
                WHERE text = partyText(handle, recent.normalized, name) AND party.normalized = recent.normalized),
            providerNumber = (SELECT number FROM providerNumber WHERE provider = recent.provider);
        CREATE INDEX recentByParty ON recent (party);
        CREATE TABLE recentBlock (
            id INTEGER PRIMARY KEY, count INTEGER NOT NULL, earliest INTEGER NOT NULL, latest INTEGER NOT NULL,
            words BLOB NOT NULL, times BLOB NOT NULL);
        CREATE TABLE partyBlock (id INTEGER PRIMARY KEY, texts BLOB NOT NULL);
        """

    static let deletionTrigger = """
        CREATE TRIGGER recentDeleted AFTER DELETE ON recent BEGIN
            DELETE FROM recentBlock WHERE id = old.id >> 11;
            DELETE FROM party WHERE id = old.party AND NOT EXISTS (SELECT 1 FROM recent WHERE party = old.party);
            UPDATE setting SET value = value - 1 WHERE name = 'count';
            UPDATE setting SET value = value - 1 WHERE name = 'unread' AND old.missed AND NOT old.read;
        END;
        """

    private static let changeTriggers = """
        CREATE TRIGGER recentInserted AFTER INSERT ON recent BEGIN
            DELETE FROM recentBlock WHERE id = new.id >> 11;
            UPDATE setting SET value = value + 1 WHERE name = 'count';
            UPDATE setting SET value = value + 1 WHERE name = 'unread' AND new.missed AND NOT new.read;
        END;
        CREATE TRIGGER recentChanged AFTER UPDATE OF direction, missed, started, party, providerNumber ON recent
        WHEN old.direction <> new.direction OR old.missed <> new.missed OR old.started <> new.started
            OR old.party <> new.party OR old.providerNumber <> new.providerNumber BEGIN
            DELETE FROM recentBlock WHERE id = new.id >> 11;
        END;
        CREATE TRIGGER recentSeen AFTER UPDATE OF missed, read ON recent
        WHEN (old.missed AND NOT old.read) <> (new.missed AND NOT new.read) BEGIN
            UPDATE setting SET value = value + iif(new.missed AND NOT new.read, 1, -1) WHERE name = 'unread';
        END;
        CREATE TRIGGER recentOfAnother AFTER UPDATE OF party ON recent WHEN old.party <> new.party BEGIN
            DELETE FROM party WHERE id = old.party AND NOT EXISTS (SELECT 1 FROM recent WHERE party = old.party);
        END;
        CREATE TRIGGER partyInserted AFTER INSERT ON party BEGIN
            DELETE FROM partyBlock WHERE id = new.id >> 10;
        END;
        CREATE TRIGGER partyDeleted AFTER DELETE ON party BEGIN
            DELETE FROM partyBlock WHERE id = old.id >> 10;
        END;
        """

    /// Counts what triggers count from then on. What a damaged file says of it would let retention delete too much.
    static func count(_ database: Database) throws {
        for (name, condition) in [(Setting.count, "1"), (Setting.unread, "missed AND NOT read")] {
            let count = try Int64.fetchOne(database, sql: "SELECT count(*) FROM recent WHERE \(condition)") ?? 0
            if try Setting.value(name, database) != count { try Setting.set(name, count, database) }
        }
    }

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
