// Schema: the tables of recents.sqlite.

internal import SQLite

enum Schema {
    /// Makes the tables of a new file. A migration that has been released is never changed.
    static func migrate(_ connection: Connection) throws {
        try Migration.run(
            [
                Migration("1") { database in
                    for tables in [parties, recents, favorites, settings] { try database.run(script: tables) }
                },
                Migration("2") { database in
                    for changes in [days, networkEnds] { try database.run(script: changes) }
                },
            ], on: connection)
    }

    /// One row for all calls with the same handle and name. Text is searched here: there are far fewer parties than calls.
    private static let parties = """
        -- What is unique is also the index of the normalized handle.
        CREATE TABLE "party" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "handleType" TEXT NOT NULL, \
        "handle" TEXT NOT NULL, "normalized" TEXT NOT NULL, "name" TEXT NOT NULL, "text" TEXT NOT NULL, \
        UNIQUE ("normalized", "handle", "handleType", "name"));
        -- The text is in lower case already: Unicode's, not what a tokenizer takes for it.
        CREATE VIRTUAL TABLE "partyText" USING fts5(text, tokenize='''trigram'' ''case_sensitive'' ''1''', \
        content='party', content_rowid='id', columnSize=0);
        CREATE TRIGGER "__partyText_ai" AFTER INSERT ON "party" BEGIN
            INSERT INTO "partyText"("rowid", "text") VALUES (new."id", new."text");
        END;
        CREATE TRIGGER "__partyText_ad" AFTER DELETE ON "party" BEGIN
            INSERT INTO "partyText"("partyText", "rowid", "text") VALUES('delete', old."id", old."text");
        END;
        CREATE TRIGGER "__partyText_au" AFTER UPDATE ON "party" BEGIN
            INSERT INTO "partyText"("partyText", "rowid", "text") VALUES('delete', old."id", old."text");
            INSERT INTO "partyText"("rowid", "text") VALUES (new."id", new."text");
        END;
        """

    private static let recents = """
        CREATE TABLE "recent" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "call" TEXT NOT NULL UNIQUE, \
        "party" INTEGER NOT NULL REFERENCES "party"("id"), "provider" TEXT NOT NULL, "direction" TEXT NOT NULL, \
        "nameSource" TEXT NOT NULL, "started" INTEGER NOT NULL, "connected" INTEGER NOT NULL, "ended" INTEGER NOT NULL, \
        "duration" INTEGER NOT NULL, "reason" TEXT NOT NULL, "endedBy" TEXT NOT NULL, "filtered" TEXT NOT NULL, \
        "filteredBy" TEXT NOT NULL, "screening" TEXT NOT NULL, "screeningReason" TEXT NOT NULL, \
        "video" BOOLEAN NOT NULL, "missed" BOOLEAN NOT NULL, "open" BOOLEAN NOT NULL, "read" BOOLEAN NOT NULL);
        -- The newest calls with one party, of one provider, and the newest missed calls.
        CREATE INDEX "recentByParty" ON "recent"("party");
        CREATE INDEX "recentByProvider" ON "recent"("provider");
        CREATE INDEX "recentMissed" ON "recent"("id") WHERE "missed";
        -- All columns by which calls are filtered: reading this index alone answers any filter.
        CREATE INDEX "recentOverview" ON "recent"("id", "provider", "direction", "missed", "started", "party");
        -- The calls that are too old to be kept.
        CREATE INDEX "recentByStart" ON "recent"("started");
        -- The calls that a killed daemon left open.
        CREATE INDEX "recentOpen" ON "recent"("id") WHERE "open";
        -- The missed calls that the user has not seen.
        CREATE INDEX "recentUnread" ON "recent"("id") WHERE "missed" AND (NOT "read");
        """

    private static let favorites = """
        CREATE TABLE "favorite" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "position" INTEGER NOT NULL, \
        "handleType" TEXT NOT NULL, "handle" TEXT NOT NULL, "normalized" TEXT NOT NULL, "name" TEXT NOT NULL, \
        "provider" TEXT NOT NULL, UNIQUE ("normalized", "handleType", "provider"));
        """

    private static let settings =
        #"CREATE TABLE "setting" ("name" TEXT PRIMARY KEY NOT NULL, "value" INTEGER NOT NULL) WITHOUT ROWID;"#

    /// The last row that was taken in on each day since the epoch. For earlier rows their own dates have to do.
    private static let days = """
        CREATE TABLE "recentDay" ("day" INTEGER PRIMARY KEY, "last" INTEGER NOT NULL);
        INSERT INTO recentDay (day, last) SELECT started / 86400000000 AS date, max(id) FROM recent GROUP BY date;
        DROP INDEX recentByStart;
        """

    /// What the network told of the end of a call.
    private static let networkEnds = """
        ALTER TABLE "recent" ADD COLUMN "endDetail" TEXT NOT NULL DEFAULT '';
        ALTER TABLE "recent" ADD COLUMN "endCode" TEXT NOT NULL DEFAULT '';
        """
}
