// Files of earlier builds are opened, keep what they have, and become like new ones.

import CallModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

/// Earlier builds wrote them with GRDB.
@Suite struct UpgradeTests {
    private let folder: TemporaryFolder
    private let file: DatabaseFile

    init() throws {
        folder = try TemporaryFolder()
        file = DatabaseFile(folder: folder.path)
        let dump = URL(filePath: #filePath).appending(path: "../../../Fixtures/RecentsOfGRDB.sql").standardizedFileURL
        let connection = try Connection(path: file.path)
        try connection.withoutTransaction { try $0.run(script: try String(contentsOf: dump, encoding: .utf8)) }
        connection.close()
    }

    /// What makes the tables, by name.
    private func schema(_ file: DatabaseFile) throws -> [String: String] {
        try file.read { database in
            let rows = try Row.fetchAll(
                database,
                "SELECT type || ' ' || name || ' of ' || tbl_name AS name, coalesce(sql, '') AS sql FROM sqlite_master")
            return Dictionary(
                uniqueKeysWithValues: try rows.map { row in
                    (try row.decode(String.self, forColumn: "name"), try row.decode(String.self, forColumn: "sql"))
                })
        }
    }

    private func expectAll() throws {
        let rows = try file.read { try RecentQuery().rows($0) }
        #expect(rows.compactMap(\.id) == [3, 2, 1])
        #expect(rows.map(\.record.name) == ["Ålice", "", ""])
        #expect(rows.map { $0.record.handle?.value } == ["+46701740605", "bananas", "5550100"])
        #expect(rows.map(\.record.provider.rawValue) == ["MonkeyCall", "MonkeyCall", "Hotline"])
        #expect(rows.map { $0.record.end?.reason.word } == ["local-ended", "declined", "local-ended"])
        #expect(rows.allSatisfy { $0.isRead })
        #expect(try file.read { try FavoriteTable.list($0).map(\.name) } == ["Ålice", "Bob"])
        #expect(try file.read { try RecentDays.known($0) } == 20_785)
        var filter = RecentFilter()
        filter.text = "ÅLICE"
        #expect(try file.read { try RecentQuery(filter: filter).rows($0).compactMap(\.id) } == [3])
    }

    @Test func aFileOfGRDBKeepsItsRows() throws {
        try expectAll()
        let rows = try file.read { try RecentTable.rows([1, 2, 3], $0) }
        for row in rows {
            let normalized = row.record.handle?.value ?? ""
            #expect(try file.write { try RecentTable.record(row.record, normalized: normalized, $0) } == row.id)
        }
        try expectAll()
        #expect(try file.write { try RecentTable.delete([3], $0) } == 1)
        #expect(try file.read { try Int.fetchOne($0, "SELECT count(*) FROM party") } == 2)
        #expect(try file.read { try Int.fetchOne($0, "SELECT count(*) FROM partyText") } == 2)
    }

    @Test func aNewFileHasTheSameTables() throws {
        let other = DatabaseFile(folder: folder.file("new"))
        #expect(try schema(other) == schema(file))
        other.close()
    }

    /// The first builds knew neither the days nor what networks tell of the end.
    @Test func aFileOfTheFirstBuildsIsBroughtUpToDate() throws {
        let tables = try schema(file)
        file.close()
        let connection = try Connection(path: file.path)
        try connection.withoutTransaction { database in
            try database.run(
                script: """
                    ALTER TABLE recent DROP COLUMN endCode;
                    ALTER TABLE recent DROP COLUMN endDetail;
                    DROP TABLE recentDay;
                    CREATE INDEX "recentByStart" ON "recent"("started");
                    DELETE FROM grdb_migrations WHERE identifier = '2';
                    """)
        }
        connection.close()
        #expect(try schema(file) == tables)
        try expectAll()
        #expect(try file.read { try Int.fetchAll($0, "SELECT last FROM recentDay") } == [3])
    }
}
