// Damaged databases are set aside, and do not remain for ever.

import Foundation
import Glibc
import Testing

@testable import CallStore

@Suite final class SetAsideTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-aside-\(UUID().uuidString)"
    private lazy var file = DatabaseFile(folder: folder)
    private var path: String { folder + "/" + DatabaseFile.name }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ name: String) throws {
        try Data("canary".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private var copies: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".corrupt-") }.sorted()
        }
    }

    private func use() throws { _ = try file.read { try RecentTable.count($0) } }

    @Test func onlyTheLatestCopyStays() throws {
        for ending in ["", "-wal", "-shm"] { try write("\(DatabaseFile.name).corrupt-20260101-000000\(ending)") }
        try write(DatabaseFile.name)
        let name = try file.setAside()
        #expect(try copies == [name])
        try write(DatabaseFile.name)
        let second = try file.setAside()
        #expect(try copies == [second])
        #expect(second != name)
    }

    /// The date in the name of a copy.
    private func date(daysAgo days: Int) -> String {
        let format = Date.VerbatimFormatStyle(
            format: "\(year: .defaultDigits)\(month: .twoDigits)\(day: .twoDigits)-000000", timeZone: .gmt,
            calendar: Calendar(identifier: .gregorian))
        return Date(timeIntervalSinceNow: -86_400 * Double(days)).formatted(format)
    }

    @Test func anOldCopyIsRemoved() throws {
        let (old, recent) = (date(daysAgo: CopiesAside.days + 1), date(daysAgo: CopiesAside.days - 1))
        for copy in [old, recent] { try write("\(DatabaseFile.name).corrupt-\(copy)") }
        try write("rules.corrupt")
        try use()
        #expect(try copies == ["\(DatabaseFile.name).corrupt-\(recent)"])
        #expect(FileManager.default.fileExists(atPath: "\(folder)/rules.corrupt"))
    }

    @Test func allCopiesCanBeRemoved() throws {
        try write("\(DatabaseFile.name).corrupt-20260201-000000-2-wal")
        mkdir("\(path).corrupt-20260201-000000", 0o700)
        file.removeCopies()
        #expect(try copies == [])
    }

    /// Calls `body` with something that is no file in the place of the database.
    private func withObstacle(_ ending: String, _ make: (String) -> Int32, _ body: () throws -> Void) throws {
        #expect(make(path + ending) == 0)
        try body()
        for ending in ["", "-wal", "-shm"] {
            var status = stat()
            #expect(lstat(path + ending, &status) != 0 || status.st_mode & S_IFMT == S_IFREG)
        }
        #expect(try copies.count == 1)
    }

    @Test(arguments: ["a folder", "a FIFO", "a link to a FIFO"])
    func whatIsNoFileIsSetAside(_ kind: String) throws {
        let make: (String) -> Int32 =
            switch kind {
            case "a folder": { mkdir($0, 0o700) }
            case "a FIFO": { mkfifo($0, 0o600) }
            default: { [folder] in mkfifo("\(folder)/fifo", 0o600) | symlink("\(folder)/fifo", $0) }
            }
        try withObstacle("", make) {
            do throws(StorageFailure) {
                _ = try file.read { try RecentTable.count($0) }
                Issue.record("\(kind) was taken for a database")
            } catch {
                guard case .corrupt(let text) = error else { throw error }
                #expect(text.contains(kind.hasSuffix("FIFO") ? "FIFO" : "folder"))
            }
            _ = try file.setAside()
            try use()
        }
    }

    @Test(arguments: ["-wal", "-shm"])
    func theDatabaseOutlivesWhatIsInTheWayOfItsLog(_ ending: String) throws {
        try file.write { try Setting.set("canary", 7, $0) }
        file.close()
        try withObstacle(ending, { mkfifo($0, 0o600) }) {
            let value = try file.read { try Setting.value("canary", $0) }
            #expect(value == 7)
        }
    }
}
