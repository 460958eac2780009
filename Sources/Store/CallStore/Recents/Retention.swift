// Retention: how much of the past is kept.

internal import EventLoop
internal import GRDB

struct Retention: Sendable, Hashable {
    /// 0 = however old.
    var days: UInt32 = 0
    /// 0 = however many.
    var rows: UInt32 = 1_000_000

    private static let daysSetting = "retention-days"
    private static let rowsSetting = "retention-rows"

    init() {}

    init(days: UInt32, rows: UInt32) {
        (self.days, self.rows) = (days, rows)
    }

    init(_ database: Database) throws {
        if let days = try Setting.value(Self.daysSetting, database) { self.days = UInt32(clamping: days) }
        if let rows = try Setting.value(Self.rowsSetting, database) { self.rows = UInt32(clamping: rows) }
    }

    func store(_ database: Database) throws {
        try Setting.set(Self.daysSetting, Int64(days), database)
        try Setting.set(Self.rowsSetting, Int64(rows), database)
    }

    /// Deletes what is beyond, but no call that goes on.
    ///
    /// - Returns: how many of `count` rows are left.
    func prune(_ count: Int, _ database: Database) throws -> Int {
        var count = count
        if days > 0 {
            // So many days are longer ago than the epoch: nothing is that old.
            let (age, isEndless) = UInt64(days).multipliedReportingOverflow(by: 86_400_000_000)
            let now = isEndless ? 0 : WallTime.now.microseconds
            try database.execute(
                sql: "DELETE FROM recent WHERE started < ? AND NOT open", arguments: [Int64(now > age ? now - age : 0)])
            count -= database.changesCount
        }
        if rows > 0, count > Int(rows) {
            try database.execute(
                sql: "DELETE FROM recent WHERE id IN (SELECT id FROM recent WHERE NOT open ORDER BY id LIMIT ?)",
                arguments: [count - Int(rows)])
            count -= database.changesCount
        }
        return count
    }
}
