// RecentDays: on which day calls were taken in, by a date that no step of the clock moves at once.

internal import CallModel
internal import EventLoop
internal import SQLite

/// What the clocks say when the file is written.
struct StoreMoment: Sendable, Hashable {
    let date: WallTime
    /// How long this process has run since it wrote the last time; zero the first time.
    let ran: Duration

    /// The days since the epoch.
    var day: Int64 { Int64(clamping: date.microseconds / 86_400_000_000) }
}

/// The day that is believed to be today, and the last row that was taken in on each day.
///
/// Nothing that is deleted can come back, and clocks are wrong for a while: after a start without a network, or after sleep.
/// So a step of the clock by more than three days counts only after the clock has stayed so for a day in which the store ran.
enum RecentDays {
    private static let largestStep: Int64 = 3
    private static let longestDoubt = Duration.seconds(86_400)
    private static let daySetting = "day"
    /// For how many seconds the clock has been elsewhere.
    private static let doubtSetting = "day-doubt"

    /// Notes the day of the rows that were taken in since the last time.
    ///
    /// - Returns: today.
    static func note(_ moment: StoreMoment, _ database: Database) throws -> Int64 {
        let today = try today(at: moment, database)
        try database.execute(
            sql: "INSERT OR REPLACE INTO recentDay (day, last) SELECT ?, id FROM recent ORDER BY id DESC LIMIT 1",
            arguments: [today])
        return today
    }

    /// The day that was believed to be today when the file was written the last time; nil if it never was.
    static func known(_ database: Database) throws -> Int64? { try Setting.value(daySetting, database) }

    private static func today(at moment: StoreMoment, _ database: Database) throws -> Int64 {
        let known = try known(database) ?? moment.day
        let doubt = try Setting.value(doubtSetting, database)
        guard abs(moment.day - known) > largestStep else {
            if doubt != nil { try Setting.remove(doubtSetting, database) }
            let today = max(known, moment.day)
            try Setting.set(daySetting, today, database)
            return today
        }
        let total = doubt.map { Duration.seconds($0) + moment.ran } ?? .zero
        guard total >= longestDoubt else {
            try Setting.set(doubtSetting, total.components.seconds, database)
            return known
        }
        try Setting.remove(doubtSetting, database)
        try Setting.set(daySetting, moment.day, database)
        try database.execute(sql: "UPDATE OR REPLACE recentDay SET day = ?1 WHERE day > ?1", arguments: [moment.day])
        return moment.day
    }

    /// Deletes the rows that were taken in before a day, except those of open calls.
    ///
    /// - Returns: whether that were so many that there may be more.
    static func deleteRows(before day: Int64, _ database: Database) throws -> Bool {
        guard
            let last = try Int64.fetchOne(
                database, sql: "SELECT max(last) FROM recentDay WHERE day < ?", arguments: [day])
        else { return false }
        let count = try RecentTable.delete(where: RecentTable.firstPortion(upTo: last), database)
        // The latest stays for the calls that are open still.
        try database.execute(sql: "DELETE FROM recentDay WHERE day < ? AND last < ?", arguments: [day, last])
        return count == RecentTable.portion
    }
}

extension WallTime {
    static var now: WallTime { WallTime(microseconds: WallClock.microseconds) }
}
