// Hours of certain days during which Do Not Disturb is on by itself.

import CallModel
import EventLoop

/// From one time of day until another, which is on the next day unless it is later.
struct QuietHours: Hashable, Sendable {
    /// Minutes after midnight.
    var from: Int
    var until: Int
    /// The days on which it begins.
    var days: Set<Weekday>

    struct Span: Hashable, Sendable {
        /// Microseconds since the epoch; the end does not belong to it.
        let start: UInt64
        let end: UInt64
    }

    /// All times that have not ended by `date` and begin within eight days.
    func spans(from date: UInt64) -> [Span] {
        let today = LocalDay(of: WallTime(microseconds: date))
        return (-1...8).compactMap { offset in
            let day = today.advanced(byDays: offset)
            guard days.contains(Weekday.allCases[day.weekday]) else { return nil }
            let last = until > from ? day : day.advanced(byDays: 1)
            let start = day.moment(atMinute: from).microseconds
            let end = last.moment(atMinute: until).microseconds
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
