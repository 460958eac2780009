// Days and spans of time, in words.

import CallModel
import EventLoop
import Glibc

extension WallTime {
    /// `today 14:05`, `yesterday 14:05`, `Tue 14:05` for the five days before, otherwise `2026-11-02 14:05`. In local
    /// time; words and digits are the same in every locale.
    func calendarText(at now: WallTime) -> String {
        switch now.local.daysSinceEpoch - local.daysSinceEpoch {
        case 0: text("today %R")
        case 1: text("yesterday %R")
        case 2...6: text("%a %R")
        default: text("%F %R")
        }
    }
}

extension Weekday {
    init(_ time: tm) { self = Self.allCases[(Int(time.tm_wday) + 6) % 7] }

    /// Returns the days from the last such day until `today`: 0 to 6.
    func days(before today: Weekday) -> Int {
        let days = Self.allCases
        return ((days.firstIndex(of: today) ?? 0) - (days.firstIndex(of: self) ?? 0) + 7) % 7
    }
}

extension tm {
    /// Counts calendar days, whatever their length in hours.
    var daysSinceEpoch: Int {
        var midday = tm()
        (midday.tm_year, midday.tm_mon, midday.tm_mday, midday.tm_hour) = (tm_year, tm_mon, tm_mday, 12)
        return timegm(&midday) / 86_400
    }
}

/// A length of time, in whole milliseconds.
struct Span: Sendable, Equatable {
    let milliseconds: UInt64

    /// `under 1 s`, `12 s`, `3 min 12 s`, `1 h 5 min`, `2 d 4 h`: the two largest units.
    var text: String {
        let seconds = milliseconds / 1_000
        let units = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let largest = units.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return largest.isEmpty ? "under 1 s" : largest.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

extension UInt64 {
    /// `10,000,000`.
    var grouped: String {
        var text = ""
        let digits = String(self)
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1 entry`, `2 entries`.
    func counted(_ singular: String, _ plural: String) -> String {
        "\(grouped) \(self == 1 ? singular : plural)"
    }
}
