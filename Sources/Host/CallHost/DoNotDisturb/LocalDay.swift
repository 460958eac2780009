// LocalDay: days of the calendar and times of day, in the local time zone.

import EventLoop
import Glibc

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
