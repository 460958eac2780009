// The settings as a small file of text, in the words of scenario files.

import CallCore
import CallModel
import CallScenario

extension DoNotDisturbSettings {
    var text: String {
        var text = "do-not-disturb"
        if isOnByHand { text += " on=yes" }
        if pausedUntil != 0 { text += " paused-until=\(pausedUntil)" }
        text += rules.text + "\n"
        for hours in schedule {
            text += "quiet from=\(QuietHours.clock(hours.from)) until=\(QuietHours.clock(hours.until))"
            text += " days=\(hours.orderedDays.map(\.rawValue).joined(separator: ","))\n"
        }
        return text
    }

    /// - Throws: `InvalidArguments` for anything that `text` would not have written.
    init(text: String) throws(CallError) {
        let lines = text.split(separator: "\n").map(String.init)
        guard let first = lines.first, text.hasSuffix("\n") else {
            throw CallError(.invalidArguments, "the file is empty or cut off")
        }
        var words = try Words(first)
        guard try words.take("do-not-disturb") == "do-not-disturb" else {
            throw CallError(.invalidArguments, "the first line does not begin with do-not-disturb")
        }
        isOnByHand = try words.flag("on") ?? false
        pausedUntil = try words.number("paused-until") ?? 0
        rules = try DoNotDisturbRules(words)
        guard lines.count <= Self.maximumSchedule + 1 else {
            throw CallError(.invalidArguments, "\(lines.count) lines, expected at most \(Self.maximumSchedule + 1)")
        }
        for line in lines.dropFirst() { schedule.append(try Self.hours(line)) }
    }

    private static func hours(_ line: String) throws(CallError) -> QuietHours {
        var words = try Words(line)
        guard try words.take("quiet") == "quiet" else {
            throw CallError(.invalidArguments, "a line begins with neither do-not-disturb nor quiet")
        }
        return try QuietHours(
            from: words.value("from") ?? "", until: words.value("until") ?? "",
            days: (words.value("days") ?? "").split(separator: ",").map(String.init))
    }
}

extension QuietHours {
    /// - Parameter days: none for every day.
    /// - Throws: `InvalidArguments` for an invalid time of day or day of the week.
    init(from: String, until: String, days: [String]) throws(CallError) {
        func minute(_ text: String) throws(CallError) -> Int {
            guard let minute = Self.minute(text) else {
                throw CallError(.invalidArguments, "\"\(text.displayable)\" is not a valid time of day, such as 22:30")
            }
            return minute
        }
        let start = try minute(from)
        let end = try minute(until)
        var weekdays: Set<Weekday> = []
        for name in days {
            guard let day = Weekday(rawValue: name) else {
                let known = Weekday.allCases.map(\.rawValue).joined(separator: ", ")
                throw CallError(
                    .invalidArguments, "\"\(name.displayable)\" is not a valid day, expected one of \(known)")
            }
            weekdays.insert(day)
        }
        self.init(from: start, until: end, days: weekdays.isEmpty ? Set(Weekday.allCases) : weekdays)
    }
}
