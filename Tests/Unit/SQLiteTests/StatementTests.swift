// What is bound comes back, and what cannot be is an error with a type.

import Testing

@testable import SQLite

@Suite struct StatementTests {
    private let connection: Connection

    init() throws {
        connection = try Connection()
        try connection.write { database in
            try database.run(script: "CREATE TABLE pair (name TEXT UNIQUE, number INTEGER); CREATE TABLE other (x)")
        }
    }

    @Test(arguments: [
        "", "plain", "it's \"quoted\"; DROP TABLE pair", "Åsa 🦄\n?", String(repeating: "long ", count: 9_999),
    ])
    func textsComeBack(_ text: String) throws {
        try connection.write { database in
            try database.execute("INSERT INTO pair (name) VALUES (\(text))")
            #expect(
                try String.fetchOne(database, sql: "SELECT name FROM pair WHERE name = ?", arguments: [text]) == text)
        }
    }

    @Test(arguments: [0, 1, -1, .max, .min]) func numbersComeBack(_ number: Int64) throws {
        try connection.write { database in
            try database.execute("INSERT INTO pair (number) VALUES (\(number))")
            #expect(try Int64.fetchAll(database, "SELECT number FROM pair WHERE number = \(number)") == [number])
            #expect(try Int.fetchOne(database, "SELECT number FROM pair") == Int(number))
            #expect(try Bool.fetchOne(database, "SELECT number FROM pair") == (number != 0))
        }
    }

    @Test func partsKeepTheirArgumentsInOrder() throws {
        let conditions: [SQL] = ["number > \(1)", "name IN \(["a", "b", "c"])", "name <> \("b")"]
        let order: SQL = "ORDER BY \(sql: "name")"
        try connection.write { database in
            for (number, name) in ["a", "b", "c", "d"].enumerated() {
                try database.execute("INSERT INTO pair (name, number) VALUES (\(name), \(number))")
            }
            let found = "SELECT name FROM pair WHERE " + conditions.joined(separator: " AND ") + " \(order)"
            #expect(try String.fetchAll(database, found) == ["c"])
            #expect(try Int.fetchOne(database, "SELECT count(*) FROM pair WHERE name IN \([String]())") == 0)
        }
    }

    @Test func aValueOfTheWrongKindIsAnError() throws {
        try connection.read { database in
            let row = try #require(
                try Row.fetchOne(
                    database, "SELECT 'x' AS text, NULL AS absent, 1e300 AS large, 2.9 AS part, 1 AS text"))
            #expect(try row.decode(String.self, forColumn: "text") == "x")
            #expect(try row.decode(Int.self, forColumn: "part") == 2)
            #expect(try row.decode(Bool.self, forColumn: "part"))
            for column in ["text", "absent", "large", "missing"] {
                #expect(throws: RowDecodingError(column: column)) { try row.decode(Int64.self, forColumn: column) }
            }
            #expect(throws: RowDecodingError.self) { try row.decode(String.self, forColumn: "part") }
            #expect(throws: RowDecodingError.self) { try row.decode(Bool.self, forColumn: "text") }
            #expect(throws: RowDecodingError.self) { try Int.fetchOne(database, "SELECT 'x'") }
            #expect(try Int.fetchOne(database, "SELECT NULL") == nil)
            #expect(try Int.fetchOne(database, "SELECT 1 WHERE FALSE") == nil)
            #expect(try Int.fetchAll(database, "SELECT 1 UNION SELECT 2 UNION SELECT NULL") == [1, 2])
        }
    }

    @Test(arguments: [
        ("61FF62", "a\u{FFFD}b"), ("C3", "\u{FFFD}"), ("610062", "a"), ("", ""), ("EDA080", "\u{FFFD}\u{FFFD}\u{FFFD}"),
    ])
    func textIsRepaired(_ bytes: String, _ text: String) throws {
        try connection.read { database in
            for value in ["CAST(x'\(bytes)' AS TEXT)", "x'\(bytes)'"] {
                let found = try String.fetchOne(database, sql: "SELECT \(value)")
                #expect(found == text, "\(value)")
            }
        }
    }

    @Test(arguments: [
        ("SELEC 1", DatabaseError.Kind.error, "near \"SELEC\""), ("SELECT x FROM nowhere", .error, "no such table"),
        ("SELECT \"nothing\" FROM pair", .error, "no such column"), ("", .misuse, "no statement"),
        (" -- nothing", .misuse, "no statement"), ("SELECT 1; SELECT 2", .misuse, "more than one"),
        ("SELECT ?", .misuse, "0 arguments, expected 1"),
        ("INSERT INTO pair VALUES ('a', 1), ('a', 2)", .constraint, "UNIQUE"),
    ])
    func aStatementThatIsWrongSaysWhy(_ text: String, _ kind: DatabaseError.Kind, _ message: String) throws {
        try connection.withoutTransaction { database in
            for _ in 0..<2 {
                let error = #expect(throws: DatabaseError.self) { try database.execute(sql: text) }
                #expect(error?.kind == kind)
                #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            }
            let count = try Int.fetchOne(database, "SELECT count(*) FROM pair")
            #expect(count == 0)
        }
    }

    @Test func aDamagedFileIsAnError() throws {
        try connection.withoutTransaction { database in
            try database.run(
                script: "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99 WHERE name = 'pair'")
            try database.run(script: "PRAGMA writable_schema = RESET")
            let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(database, "SELECT * FROM pair") }
            #expect(error?.kind == .corrupt)
        }
    }

    /// A statement is compiled once; one that is in use is not taken twice, and one that has failed works again.
    @Test func aStatementIsUsedAgain() throws {
        try connection.write { database in
            let insert = "INSERT INTO pair (name, number) VALUES (?, ?)"
            for number in 0..<3 { try database.execute(sql: insert, arguments: ["\(number)", number]) }
            #expect(throws: DatabaseError.self) { try database.execute(sql: insert, arguments: ["2", 2]) }
            try database.execute(sql: insert, arguments: ["3", 3])
            var pairs = 0
            try database.forEach("SELECT number FROM pair ORDER BY number") { _ in
                pairs += try Int.fetchAll(database, "SELECT number FROM pair ORDER BY number").count
                return true
            }
            #expect(pairs == 16)
            try database.execute(sql: "ALTER TABLE pair ADD COLUMN more TEXT DEFAULT 'm'")
            let row = try #require(try Row.fetchOne(database, "SELECT * FROM pair"))
            #expect(try row.decode(String.self, forColumn: "more") == "m")
            for number in 0..<200 { #expect(try Int.fetchOne(database, sql: "SELECT \(number)") == number) }
        }
    }

    @Test func rowsEndWhereTheyAreNotWanted() throws {
        struct Enough: Error {}
        try connection.withoutTransaction { database in
            try database.run(script: "INSERT INTO other VALUES (1), (2), (3)")
            var seen: [Int] = []
            try database.forEach("SELECT x FROM other") { row in
                seen.append(try row.decode(forColumn: "x"))
                return seen.count < 2
            }
            #expect(seen == [1, 2])
            #expect(throws: Enough.self) { try database.forEach("SELECT x FROM other") { _ in throw Enough() } }
            // No statement is left that reads.
            try database.execute(sql: "VACUUM")
        }
    }

    @Test func changesAreCounted() throws {
        try connection.write { database in
            try database.run(script: "CREATE TRIGGER more AFTER INSERT ON pair BEGIN INSERT INTO other VALUES (1); END")
            let before = database.totalChangesCount
            try database.execute("INSERT INTO pair (number) VALUES \([7])")
            #expect(database.lastInsertedRowID == 1)
            #expect(database.changesCount == 1)
            #expect(database.totalChangesCount - before == 2)
            try database.execute("DELETE FROM pair WHERE number = 8")
            #expect(database.changesCount == 0)
        }
    }
}
