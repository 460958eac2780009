// Retention: how long and how many recents are kept.

internal import SQLite

struct Retention: Sendable, Hashable {
    /// The oldest age; 0 = no limit.
    var days: UInt32 = 0
    /// The most rows; 0 = no limit.
    var rows: UInt32 = 1_000_000

    private static let many = 10_000
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

    /// Deletes rows that are too old or too many, except those of open calls.
    ///
    /// - Returns: whether more of them are to go: there are too many for one time.
    func prune(at moment: StoreMoment, _ database: Database) throws -> Bool {
        let today = try RecentDays.note(moment, database)
        if days > 0, try RecentDays.deleteRows(before: today - Int64(days), database) { return true }
        guard rows > 0 else { return false }
        let excess = try RecentTable.count(database) - Int(rows)
        guard excess > 0 else { return false }
        // Of many rows a few more go at a time: to count those of each provider takes long.
        let more = Int(rows) < Self.many ? 0 : Int(rows) / 1_000
        try RecentShares(database).delete(min(excess + more, RecentTable.portion), database)
        return excess > RecentTable.portion
    }
}
