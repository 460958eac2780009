// A point in time as typed on the command line.

import ArgumentParser
import CallModel
import EventLoop
import Glibc

/// A day, a time of day, both, or a span before now, in local time: `yesterday`, `mon`, `2026-11-20`, `14:05`,
/// `yesterday 14:05`, `2026-11-20T14:05:30`, `90s`, `30min`, `2h`, `3d`, `2w`.
struct TimeArgument: ExpressibleByArgument, Sendable, Equatable {
    /// The end of a whole day to use.
    enum Side: Sendable { case start, end }

    private enum Day: Sendable, Equatable {
        case ago(Int32)
        case weekday(Weekday)
        case date(year: Int32, month: Int32, day: Int32)
    }

    private struct Clock: Sendable, Equatable {
        let hour: Int32, minute: Int32, second: Int32
    }

    private enum Form: Sendable, Equatable {
        case ago(seconds: UInt64)
        case local(Day, Clock?)
    }

    private let form: Form

    init?(argument: String) {
        let words = argument.lowercased().split { $0 == " " }.map(String.init)
        guard let form = Self.form(of: words) else { return nil }
        self.form = form
    }

    /// Returns the moment relative to `now`; for a whole day, its first or its last microsecond.
    func moment(_ side: Side, at now: WallTime) -> WallTime {
        switch form {
        case .ago(let seconds):
            let (span, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            return WallTime(microseconds: overflow || span > now.microseconds ? 0 : now.microseconds - span)
        case .local(let day, let clock):
            var time = Self.day(day, at: now)
            time.tm_isdst = -1
            if let clock {
                (time.tm_hour, time.tm_min, time.tm_sec) = (clock.hour, clock.minute, clock.second)
            } else if side == .end {
                time.tm_mday += 1
            }
            let seconds = UInt64(max(0, mktime(&time)))
            let isLast = clock == nil && side == .end && seconds > 0
            return WallTime(microseconds: seconds * 1_000_000 - (isLast ? 1 : 0))
        }
    }

    /// Returns the beginning of a day.
    private static func day(_ day: Day, at now: WallTime) -> tm {
        let today = now.local
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (today.tm_year, today.tm_mon, today.tm_mday)
        switch day {
        case .ago(let days): time.tm_mday -= days
        case .weekday(let weekday): time.tm_mday -= Int32(weekday.days(before: Weekday(today)))
        case .date(let year, let month, let day):
            (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, month - 1, day)
        }
        return time
    }

    private static func form(of words: [String]) -> Form? {
        switch words.count {
        case 1:
            if let seconds = seconds(words[0]) { return .ago(seconds: seconds) }
            if let day = day(words[0]) { return .local(day, nil) }
            if let clock = clock(words[0]) { return .local(.ago(0), clock) }
            let halves = words[0].split(separator: "t", maxSplits: 1).map(String.init)
            guard halves.count == 2, halves[0].first?.isNumber == true else { return nil }
            return form(of: halves)
        case 2:
            guard let day = day(words[0]), let clock = clock(words[1]) else { return nil }
            return .local(day, clock)
        default: return nil
        }
    }

    private static func seconds(_ word: String) -> UInt64? {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: UInt64] = [
            "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800,
        ]
        guard let count = UInt64(digits), let unit = units[word.dropFirst(digits.count)] else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : seconds
    }

    private static func day(_ word: String) -> Day? {
        if word == "today" { return .ago(0) }
        if word == "yesterday" { return .ago(1) }
        if let weekday = Weekday.allCases.first(where: { $0.rawValue == word || "\($0)" == word }) {
            return .weekday(weekday)
        }
        guard let fields = numbers(word, "-"), fields.count == 3, (1970...9999).contains(fields[0]) else { return nil }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday, time.tm_hour) = (fields[0] - 1900, fields[1] - 1, fields[2], 12)
        _ = timegm(&time)  // turns a day that does not exist into another day
        guard time.tm_mon == fields[1] - 1, time.tm_mday == fields[2] else { return nil }
        return .date(year: fields[0], month: fields[1], day: fields[2])
    }

    private static func clock(_ word: String) -> Clock? {
        guard let fields = numbers(word, ":"), (2...3).contains(fields.count) else { return nil }
        let second = fields.count == 3 ? fields[2] : 0
        guard fields[0] < 24, fields[1] < 60, second < 60 else { return nil }
        return Clock(hour: fields[0], minute: fields[1], second: second)
    }

    /// Parses numbers of at most four digits each.
    private static func numbers(_ word: String, _ separator: Character) -> [Int32]? {
        let fields = word.split(separator: separator, omittingEmptySubsequences: false)
        let numbers = fields.compactMap { field -> Int32? in
            guard (1...4).contains(field.utf8.count), field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int32(field)
        }
        return numbers.count == fields.count ? numbers : nil
    }
}
