// LocalDay: days of the calendar and times of day, in the local time zone.

internal import Glibc

/// One day where the machine is. Days on which the clock is put forward or back are as long as they are.
public struct LocalDay: Hashable, Sendable {
    private let year: Int32
    private let month: Int32
    private let day: Int32
    /// From 0 for Monday to 6 for Sunday.
    public let weekday: Int

    /// The day of a moment. A changed time zone counts at once.
    public init(of moment: WallTime) {
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

    /// - Parameter number: of days, at most a year; negative for days before.
    public func advanced(byDays number: Int) -> LocalDay {
        var noon = time(atMinute: 12 * 60, days: Int32(clamping: max(-366, min(number, 366))))
        _ = mktime(&noon)
        return LocalDay(noon)
    }

    /// When it is so many minutes past midnight by the clock on the wall. What the clock skips comes an hour later.
    public func moment(atMinute minute: Int) -> WallTime {
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
