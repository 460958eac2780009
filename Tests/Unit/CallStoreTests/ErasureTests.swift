// What was deleted is in no file of the store any more.

import CallModel
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite final class ErasureTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-erasure-\(UUID().uuidString)"
    private var random = SeededGenerator(seed: 11)
    private lazy var file = DatabaseFile(folder: folder)

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A call with a name and a number that no other call has.
    private func add(isOpen: Bool = false) throws -> (id: Int64, words: [String]) {
        let name = String((0..<Int.random(in: 10...40, using: &random)).map { _ in letter() })
        let number = "+46\(UInt64.random(in: 10_000_000...99_999_999_999, using: &random))"
        var record = CallRecord(
            .random(using: &random), provider: try #require(ProviderID("Alpha")), direction: .incoming, startedAt: 60)
        record.handle = try Handle(type: .phoneNumber, value: number)
        record.name = name
        record.end = isOpen ? nil : CallRecord.End(at: 61, reason: .ended(.unanswered), by: .remote)
        let id = try file.write { [record] in try RecentTable.record(record, normalized: number, $0) }
        return (id, [name, number])
    }

    private func letter() -> Character {
        Character(UnicodeScalar(UInt8.random(in: 0x61...0x7A, using: &random)))
    }

    /// Those of the words that are in a file of the store.
    private func remaining(_ words: [String]) throws -> [String] {
        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            bytes += try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return words.filter { bytes.range(of: Data($0.utf8)) != nil }
    }

    @Test func aDeletedRowIsInNoFile() throws {
        var (kept, gone): ([(id: Int64, words: [String])], [String]) = ([], [])
        for _ in 0..<400 { kept.append(try add()) }
        for round in 0..<120 {
            let deleted = kept.remove(at: Int.random(in: kept.indices, using: &random))
            try file.write { _ = try RecentTable.delete([deleted.id], $0) }
            gone += deleted.words
            if round % 3 == 0 { kept.append(try add()) }
            // To search the file takes long.
            #expect(try remaining(round % 10 == 0 ? gone : deleted.words) == [], "round \(round)")
        }
        #expect(try remaining(gone) == [])
        #expect(try remaining(kept.flatMap(\.words)).count == 2 * kept.count)
    }

    @Test func clearAndRetentionLeaveNothing() throws {
        var words: [String] = []
        for _ in 0..<300 { words += try add().words }
        try file.write { _ = try Retention(days: 0, rows: 10).prune(at: .test, $0) }
        #expect(try remaining(words).count == 20)
        try file.write { database in
            _ = try RecentTable.clear(upTo: .max, database)
            try PartyTable.forgetTexts(database)
        }
        #expect(try remaining(words) == [])
        file.close()
        #expect(try remaining(words) == [])
    }

    /// A provider may correct the name of a call that goes on.
    @Test func anEarlierNameIsInNoFile() throws {
        let call = try add(isOpen: true)
        var record = CallRecord(
            .random(using: &random), provider: try #require(ProviderID("Alpha")), direction: .incoming, startedAt: 60)
        record.name = "wrong-name-of-somebody"
        try file.write { [record] in _ = try RecentTable.record(record, normalized: "", $0) }
        record.name = "better"
        try file.write { [record] in _ = try RecentTable.record(record, normalized: "", $0) }
        #expect(try remaining(["wrong-name-of-somebody"]) == [])
        #expect(try remaining(call.words) == call.words)
    }

    @Test func aFavoriteThatWasRenamedOrRemovedIsInNoFile() throws {
        let handle = try Handle(type: .phoneNumber, value: "070174060512")
        let id = try file.write { try FavoriteTable.add(handle, handle.value, "first-name-of-it", "", $0) }
        try file.write { try FavoriteTable.rename(id, "second-name-of-it", $0) }
        #expect(try remaining(["first-name-of-it", "second-name-of-it"]) == ["second-name-of-it"])
        try file.write { try FavoriteTable.remove(id, $0) }
        #expect(try remaining(["second-name-of-it", handle.value]) == [])
    }

    /// Another program reads the file while rows are deleted: they go when it has finished.
    @Test func aReaderOnlyDelaysIt() throws {
        let call = try add()
        let reader = try Connection(path: file.path)
        try reader.withoutTransaction { database in
            try database.execute(sql: "BEGIN")
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM recent")
        }
        try file.write { database in
            _ = try RecentTable.clear(upTo: .max, database)
            try PartyTable.forgetTexts(database)
        }
        #expect(file.hasTraces)
        try reader.withoutTransaction { try $0.execute(sql: "COMMIT") }
        reader.close()
        file.erase()
        #expect(!file.hasTraces)
        #expect(try remaining(call.words) == [])
    }

    /// What a killed store has deleted goes when the next one opens the file.
    @Test func theNextStoreFinishesIt() throws {
        let call = try add()
        let killed = try Connection(path: file.path)
        try killed.write { try $0.run(script: "PRAGMA secure_delete = ON; DELETE FROM recent; DELETE FROM party") }
        #expect(try remaining(call.words) == call.words)
        let next = DatabaseFile(folder: folder)
        file.close()
        // The lock of the folder goes with the earlier store.
        file = next
        #expect(try next.read { try RecentTable.count($0) } == 0)
        killed.close()
        next.erase()
        #expect(try remaining(call.words) == [])
    }
}
