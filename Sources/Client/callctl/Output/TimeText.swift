// Points in time and spans of time, for people.

import CallModel
import EventLoop
import Glibc

extension Duration {
    /// `M:SS` or `H:MM:SS`.
    var text: String {
        let seconds = components.seconds
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, "0\(seconds % 60)".suffix(2))
        return hours > 0 ? "\(hours):\("0\(minutes)".suffix(2)):\(rest)" : "\(minutes):\(rest)"
    }
}

extension WallTime {
    static var now: WallTime { WallTime(microseconds: WallClock.microseconds) }

    /// `HH:MM:SS.mmm` in local time.
    var clockText: String { text("%T.") + "00\(microseconds / 1000 % 1000)".suffix(3) }

    /// `YYYY-MM-DD HH:MM:SS` in local time.
    var dateText: String { text("%F %T") }

    /// ISO 8601 with the local time zone's offset: `2026-11-21T14:05:00.123+01:00`.
    var isoText: String {
        let zone = text("%z")
        return text("%FT") + clockText + zone.prefix(3) + ":" + zone.suffix(2)
    }

    /// The fields of this moment in the local time zone.
    var local: tm {
        var seconds = time_t(microseconds / 1_000_000)
        var time = tm()
        localtime_r(&seconds, &time)
        return time
    }

    /// Returns this moment in the local time zone in a format of strftime.
    func text(_ format: String) -> String {
        var time = local
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, format, &time)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
