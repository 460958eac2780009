// The settings as a small file of text, in the words of scenario files.

import CallCore
import CallModel
import CallScenario

extension DoNotDisturbSettings: SettingsText {
    static var title: String { "do-not-disturb" }

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

    mutating func take(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard words.peek == Self.title else { return try takeHours(line) }
        _ = try words.take(Self.title)
        let (isOn, pause) = (try words.flag("on"), try words.number("paused-until"))
        rules = try DoNotDisturbRules(words)
        (isOnByHand, pausedUntil) = (isOn ?? false, pause ?? 0)
    }

    private mutating func takeHours(_ line: String) throws(CallError) {
        let hours = try Self.hours(line)
        guard schedule.count < Self.maximumSchedule else {
            throw CallError(.invalidArguments, "more than \(Self.maximumSchedule) lines begin with quiet")
        }
        schedule.append(hours)
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
