// The time of day, as people read it.

import CallModel
import EventLoop
import Glibc

extension WallTime {
    static var now: WallTime { WallTime(microseconds: WallClock.microseconds) }

    /// The time of day in the local time zone, `HH:MM:SS.mmm`.
    var timeOfDay: String {
        var seconds = time_t(microseconds / 1_000_000)
        var local = tm()
        localtime_r(&seconds, &local)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let milliseconds = padded(Int(microseconds / 1_000 % 1_000), 3)
        let fields = [local.tm_hour, local.tm_min, local.tm_sec].map { padded(Int($0), 2) }
        return fields.joined(separator: ":") + "." + milliseconds
    }
}
