// Points in time and spans of time, for people.

import EventLoop
import Glibc

extension WallTime {
    /// `HH:MM:SS.mmm` in local time.
    var clockText: String {
        let time = local
        return Self.joined([time.tm_hour, time.tm_min, time.tm_sec], ":") + "."
            + Self.digits(Int32(microseconds / 1000 % 1000), 3)
    }

    /// `YYYY-MM-DD HH:MM:SS` in local time.
    var dateText: String {
        let time = local
        return Self.joined([time.tm_year + 1900, time.tm_mon + 1, time.tm_mday], "-") + " "
            + Self.joined([time.tm_hour, time.tm_min, time.tm_sec], ":")
    }

    /// ISO 8601 with the local time zone's offset: `2026-11-21T14:05:00.123+01:00`.
    var isoText: String {
        let time = local
        let offset = time.tm_gmtoff / 60
        let zone = (offset < 0 ? "-" : "+") + Self.joined([Int32(abs(offset) / 60), Int32(abs(offset) % 60)], ":")
        return Self.joined([time.tm_year + 1900, time.tm_mon + 1, time.tm_mday], "-") + "T" + clockText + zone
    }

    /// `M:SS` or `H:MM:SS`, since `start`; 0:00 if that is later.
    func durationText(since start: WallTime) -> String {
        let seconds = self > start ? (microseconds - start.microseconds) / 1_000_000 : 0
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, Int32(seconds % 60))
        return hours > 0
            ? "\(hours):" + Self.joined([Int32(minutes), rest], ":")
            : "\(minutes):" + Self.digits(rest, 2)
    }

    /// The fields of this moment in the local time zone.
    var local: tm {
        var seconds = time_t(microseconds / 1_000_000)
        var time = tm()
        localtime_r(&seconds, &time)
        return time
    }

    static func joined(_ numbers: [Int32], _ separator: String) -> String {
        numbers.map { digits($0, 2) }.joined(separator: separator)
    }

    private static func digits(_ number: Int32, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
