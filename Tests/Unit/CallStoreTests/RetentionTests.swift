// How old recents become, whatever the clock says.

import CallModel
import EventLoop
import Foundation
import SQLite
import TestSupport
import Testing

@testable import CallStore

extension StoreMoment {
    static var test: StoreMoment { StoreMoment(date: .now, ran: .zero) }
}

/// netdata PR #4109, Tr3kkR/Yuzu #2348, pendulum-project/ntpd-rs #957: machines whose clock is years ahead for a moment.
@Suite final class RetentionTests {
    private let folder = NSTemporaryDirectory() + "opencallkit-retention-\(UUID().uuidString)"
    private lazy var file = DatabaseFile(folder: folder)
    private var random = SeededGenerator(seed: 1)
    private var taken = 0

    deinit {
        file.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let years: Int64 = 3_652

    /// A call comes in on a day, as the clock says, so many hours after what was written before.
    private func call(onDay day: Int64, hours: Int = 1, isOpen: Bool = false) throws {
        taken += 1
        let moment = StoreMoment(
            date: WallTime(microseconds: UInt64(day) * 86_400_000_000), ran: .seconds(hours * 3_600))
        var record = CallRecord(
            .random(using: &random), provider: try #require(ProviderID("Alpha")), direction: .incoming,
            startedAt: moment.date)
        record.handle = try Handle(type: .phoneNumber, value: "\(taken)")
        if !isOpen { record.end = CallRecord.End(at: record.startedAt, reason: .ended(.unanswered), by: .remote) }
        let written = record
        try file.write { database in
            _ = try RecentTable.record(written, normalized: "x", database)
            _ = try Retention(days: 30, rows: 0).prune(at: moment, database)
        }
    }

    private var kept: [Int] {
        get throws {
            try file.read { try Int.fetchAll($0, sql: "SELECT id FROM recent ORDER BY id") }
        }
    }

    @Test func rowsGoWhenTheyAreOlderThanTheDays() throws {
        for day in stride(from: Int64(20_000), through: 20_033, by: 3) { try call(onDay: day) }
        #expect(try kept == Array(2...12))
    }

    @Test func aClockThatIsAheadForAMomentDeletesNothing() throws {
        for _ in 0..<3 { try call(onDay: 20_000) }
        for _ in 0..<5 { try call(onDay: 20_000 + Self.years) }
        for _ in 0..<3 { try call(onDay: 20_000) }
        try call(onDay: 20_001)
        #expect(try kept == Array(1...12))
    }

    @Test func aCallThatIsDatedYearsAgoIsAsOldAsItIs() throws {
        try call(onDay: 20_000)
        try call(onDay: 20_000 - Self.years)
        for day in stride(from: Int64(20_000), through: 20_030, by: 2) { try call(onDay: day) }
        #expect(try kept.prefix(2) == [1, 2])
        try call(onDay: 20_031)
        #expect(try kept.first == 4)
    }

    @Test func aClockThatStaysAheadIsBelievedAfterADay() throws {
        try call(onDay: 20_000)
        try call(onDay: 20_060, hours: 50)
        try call(onDay: 20_061, hours: 23)
        #expect(try kept == [1, 2, 3])
        try call(onDay: 20_061, hours: 1)
        #expect(try kept == [4])
        // It was wrong after all.
        try call(onDay: 20_000)
        try call(onDay: 20_001, hours: 24)
        for day in stride(from: Int64(20_003), through: 20_033, by: 3) { try call(onDay: day) }
        #expect(try kept.first == 7)
    }

    @Test func aCallThatGoesOnIsDeletedOnceItHasEnded() throws {
        try call(onDay: 20_000, isOpen: true)
        for day in stride(from: Int64(20_001), through: 20_040, by: 3) { try call(onDay: day) }
        #expect(try kept.first == 1)
        try file.write { try RecentTable.closeInterrupted($0) }
        try call(onDay: 20_041)
        #expect(try kept.first != 1)
    }
}
