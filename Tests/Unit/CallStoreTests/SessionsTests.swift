// Two stores of a user's sessions, and one store whose clients want much.

import CallModel
import EventLoop
import Files
import Foundation
import Glibc
import Logging
import Numbers
import SQLite
import TestSupport
import Testing

@testable import CallStore

@Suite @LoopActor final class SessionsTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-sessions-\(UUID().uuidString)"
    private var random = SeededGenerator(seed: 3)

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func storage() -> Storage {
        Storage(folder: StoreFolder(folder), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func record() throws -> CallRecord {
        var record = CallRecord(
            .random(using: &random), provider: try #require(ProviderID("Alpha")), direction: .incoming, startedAt: 60)
        record.end = CallRecord.End(at: 61, reason: .ended(.unanswered), by: .remote)
        return record
    }

    /// Another store has the lock alone and hangs.
    @Test func aStoreThatHangsIsNotAwaited() throws {
        try FileWriter.makeFolder(folder)
        let hanging = try SharedLock(FolderLock.path(in: folder))
        #expect(hanging.takeAlone())
        let file = DatabaseFile(folder: folder)
        let start = MonotonicTime.now
        let failure = #expect(throws: StorageFailure.self) { try file.read { try RecentTable.count($0) } }
        #expect(failure?.text.contains("another session") == true)
        #expect(MonotonicTime.now.duration(since: start) < .seconds(10))
        try hanging.share()
        #expect(try file.read { try RecentTable.count($0) } == 0)
    }

    /// The kernel is asked how often the file that tells others was touched.
    @Test func onlyOthersAreTold() async throws {
        let file = DatabaseFile(folder: folder)
        func write() throws {
            let record = try record()
            _ = try file.write { try RecentTable.record(record, normalized: "", $0) }
        }
        try write()
        let watch = inotify_init1(Int32(IN_NONBLOCK))
        defer { close(watch) }
        #expect(inotify_add_watch(watch, FolderLock.path(in: folder), UInt32(IN_CLOSE_WRITE)) >= 0)
        func isTold() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            return read(watch, &bytes, bytes.count) > 0
        }
        for _ in 0..<20 { try write() }
        #expect(!isTold())
        let other = DatabaseFile(folder: folder)
        #expect(try other.read { try RecentTable.count($0) } == 21)
        _ = isTold()
        try write()
        #expect(isTold())
        #expect(try other.isChangedByOthers())
    }

    /// What is written while the other store asks is not missed.
    @Test func everyChangeOfAnotherSessionIsTold() async throws {
        let (one, other) = (storage(), storage())
        var (told, isTold) = (0, false)
        other.onOthers = { isTold = true }
        other.read({ try RecentTable.count($0) }) { _ in other.start() }
        for written in 1...300 {
            let record = try record()
            await withCheckedContinuation { done in
                one.write({ try RecentTable.record(record, normalized: "", $0) }) { _ in done.resume() }
            }
            // Now and then the other one is up to date.
            while written % 50 == 0, told != written {
                if isTold {
                    isTold = false
                    told = await withCheckedContinuation { done in
                        other.read({ try RecentTable.count($0) }) { done.resume(returning: (try? $0.get()) ?? 0) }
                    }
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// A hundred thousand rows go in portions, between which calls are taken in.
    @Test func clearingHoldsNobodyUp() async throws {
        let (storage, rows) = (storage(), 100_010)
        let recents = Recents(storage: storage, plan: NumberPlan(region: "SE"), portion: 20_000)
        let first = try record()
        await withCheckedContinuation { done in recents.record(first) { _ in done.resume() } }
        await withCheckedContinuation { done in
            storage.write {
                try $0.execute(
                    sql: """
                        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT ?)
                        INSERT INTO recent (call, party, provider, direction, nameSource, started, connected, ended,
                            duration, reason, endedBy, filtered, filteredBy, screening, screeningReason, video, missed,
                            open, read)
                        SELECT number, party, provider, direction, nameSource, started, connected, ended, duration,
                            reason, endedBy, filtered, filteredBy, screening, screeningReason, video, missed, open, read
                        FROM numbers, (SELECT * FROM recent LIMIT 1)
                        """, arguments: [rows])
            } then: { (result: Result<Void, CallError>) in
                #expect((try? result.get()) != nil)
                done.resume()
            }
        }
        let marked = await withCheckedContinuation { done in recents.markAllRead { done.resume(returning: $0) } }
        #expect(try marked.get() == UInt32(rows + 1))
        var (isCleared, taken) = (false, 0)
        recents.clear { result in
            #expect((try? result.get()) != nil)
            isCleared = true
        }
        while !isCleared {
            let next = try record()
            await withCheckedContinuation { done in recents.record(next) { _ in done.resume() } }
            if !isCleared { taken += 1 }
        }
        #expect(taken >= 3)
        let left = await withCheckedContinuation { done in
            storage.read({ try RecentTable.count($0) }) { done.resume(returning: $0) }
        }
        #expect(try left.get() >= taken, "a call that came after it was asked was cleared")
    }

    /// A limit that leaves little of many rows is kept at last.
    @Test func retentionGoesInPortions() async throws {
        let storage = storage()
        let recents = Recents(storage: storage, plan: NumberPlan(region: "SE"))
        for _ in 0..<3 {
            let record = try record()
            await withCheckedContinuation { done in recents.record(record) { _ in done.resume() } }
        }
        _ = await withCheckedContinuation { done in
            recents.change([], then: { done.resume(returning: $0) }) {
                try $0.execute(
                    sql: """
                        WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT ?)
                        INSERT INTO recent (call, party, provider, direction, nameSource, started, connected, ended,
                            duration, reason, endedBy, filtered, filteredBy, screening, screeningReason, video, missed,
                            open, read)
                        SELECT number, party, provider, direction, nameSource, started, connected, ended, duration,
                            reason, endedBy, filtered, filteredBy, screening, screeningReason, video, missed, open, read
                        FROM numbers, (SELECT * FROM recent LIMIT 1)
                        """, arguments: [RecentTable.portion + 1_000])
                try Retention(days: 0, rows: 100).store($0)
            }
        }
        while true {
            let left = await withCheckedContinuation { done in
                storage.read({ try RecentTable.count($0) }) { done.resume(returning: $0) }
            }
            if try left.get() == 100 { break }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
