// QuietHours: hours of certain days during which Do Not Disturb is on by itself, in the local time zone.

import CallModel
import EventLoop
import Glibc

/// From one time of day until another, which is on the next day unless it is later.
struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight.
    var from: Int
    var until: Int
    /// The days on which it begins.
    var days: Set<Weekday>

    struct Span: Hashable, Sendable {
        /// The end does not belong to it.
        let start: WallTime
        let end: WallTime
    }

    /// All times that have not ended by `date` and begin within eight days.
    func spans(from date: WallTime) -> [Span] {
        let today = LocalDay(of: date)
        return (-1...8).compactMap { offset in
            let day = today.advanced(byDays: offset)
            guard days.contains(Weekday.allCases[day.weekday]) else { return nil }
            let last = until > from ? day : day.advanced(byDays: 1)
            let start = day.moment(atMinute: from)
            let end = last.moment(atMinute: until)
            return end > date && end > start ? Span(start: start, end: end) : nil
        }
    }
}

extension QuietHours {
    /// `22:30`, for the minutes after midnight.
    static func clock(_ minute: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(minute / 60)):\(padded(minute % 60))"
    }

    /// - Returns: nil unless the text is a time of day from 00:00 to 23:59.
    static func minute(_ clock: String) -> Int? {
        let bytes = Array(clock.utf8)
        guard bytes.count == 5, bytes[2] == 58 else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 48 }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }

    var orderedDays: [Weekday] { Weekday.allCases.filter(days.contains) }
}

/// One day in the local time zone, as long as it is there: 23 or 25 hours when the clock changes.
struct LocalDay: Hashable, Sendable {
    private let year: Int32
    private let month: Int32
    private let day: Int32
    /// From 0 for Monday to 6 for Sunday.
    let weekday: Int

    /// The day of `moment`, in the time zone that is set now.
    init(of moment: WallTime) {
        tzset()
        var seconds = time_t(clamping: moment.microseconds / 1_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        self.init(local)
    }

    private init(_ local: tm) {
        year = local.tm_year
        month = local.tm_mon
        day = local.tm_mday
        weekday = Int((local.tm_wday + 6) % 7)
    }

    /// Returns the day `number` days later, or earlier if it is negative; at most a year away.
    func advanced(byDays number: Int) -> LocalDay {
        var noon = time(atMinute: 12 * 60, days: Int32(clamping: max(-366, min(number, 366))))
        _ = mktime(&noon)
        return LocalDay(noon)
    }

    /// Returns the moment at which local clocks show `minute` minutes past midnight; an hour later if they skip it.
    func moment(atMinute minute: Int) -> WallTime {
        var time = time(atMinute: minute)
        return WallTime(microseconds: UInt64(max(0, mktime(&time))) * 1_000_000)
    }

    private func time(atMinute minute: Int, days: Int32 = 0) -> tm {
        let minute = max(0, min(minute, 24 * 60))
        var time = tm()
        time.tm_year = year
        time.tm_mon = month
        time.tm_mday = day + days
        time.tm_hour = Int32(minute / 60)
        time.tm_min = Int32(minute % 60)
        time.tm_isdst = -1
        return time
    }
}
