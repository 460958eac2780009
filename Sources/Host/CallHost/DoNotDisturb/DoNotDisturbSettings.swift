// When Do Not Disturb is on: by hand, or by the clock.

import CallCore
import CallModel
import CallScenario
import CallWire
import DBus
import EventLoop

/// All that the user has set.
struct DoNotDisturbSettings: Hashable, Sendable {
    static let maximumSchedule = 16

    var isOnByHand = false
    var schedule: [QuietHours] = []
    /// The schedule counts for nothing before this date: somebody turned it off by hand. At most eight days ahead.
    var pausedUntil: WallTime = 0
    var rules = DoNotDisturbRules()

    func isOn(at date: WallTime) -> Bool { isOnByHand || date >= pausedUntil && isScheduled(at: date) }

    /// Turns it on until it is turned off, or off until the schedule turns it on the next time.
    mutating func turn(on isOn: Bool, at date: WallTime) {
        isOnByHand = isOn
        pausedUntil = isOn ? 0 : endOfSchedule(at: date)
    }

    /// Shortens a pause that is longer than it would be if it began now to just that: the clock was wrong when it began, or is
    /// that of another time zone.
    mutating func shortenPause(at date: WallTime) {
        if pausedUntil > date { pausedUntil = min(pausedUntil, endOfSchedule(at: date)) }
    }

    /// Eight days, in µs.
    private static let longestPause: UInt64 = 8 * 24 * 3_600_000_000

    /// When `isOn` may become another; nil = never by itself.
    func nextChange(after date: WallTime) -> WallTime? {
        guard !isOnByHand else { return nil }
        return nextBoundary(after: date)
    }

    private func isScheduled(at date: WallTime) -> Bool {
        schedule.contains { $0.spans(from: date).contains { $0.start <= date } }
    }

    private func nextBoundary(after date: WallTime) -> WallTime? {
        schedule.flatMap { $0.spans(from: date) }.flatMap { [$0.start, $0.end] }.filter { $0 > date }.min()
    }

    /// The end of the hours that are in force, which may follow each other; at most eight days ahead.
    private func endOfSchedule(at date: WallTime) -> WallTime {
        let spans = schedule.flatMap { $0.spans(from: date) }
        var end = date
        while let longer = spans.first(where: { $0.start <= end && $0.end > end }) { end = longer.end }
        return end == date ? 0 : min(end, date + Self.longestPause)
    }
}

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

    mutating func parse(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard words.peek == Self.title else { return try parseHours(line) }
        _ = try words.read(Self.title)
        let (isOn, pause) = (try words.flag("on"), try words.date("paused-until"))
        rules = try DoNotDisturbRules(words)
        (isOnByHand, pausedUntil) = (isOn ?? false, pause ?? 0)
    }

    private mutating func parseHours(_ line: String) throws(CallError) {
        let hours = try Self.hours(line)
        guard schedule.count < Self.maximumSchedule else {
            throw CallError(.invalidArguments, "more than \(Self.maximumSchedule) lines begin with quiet")
        }
        schedule.append(hours)
    }

    private static func hours(_ line: String) throws(CallError) -> QuietHours {
        var words = try Words(line)
        guard try words.read("quiet") == "quiet" else {
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

extension DoNotDisturbSettings {
    static let maximumProviders = 64

    /// The keys that the contract has.
    static let keys: Set<String> = [Key.manual, Key.schedule, Key.favorites, Key.repeated, Key.providers]

    private enum Key {
        static let manual = "manual"
        static let schedule = "schedule"
        static let from = "from"
        static let until = "until"
        static let days = "days"
        static let favorites = "allow-favorites"
        static let repeated = "allow-repeated"
        static let providers = "providers-allowed"
    }

    var wire: VariantDictionary {
        let hours: [VariantDictionary] = schedule.map {
            [
                Key.from: .string(QuietHours.clock($0.from)), Key.until: .string(QuietHours.clock($0.until)),
                Key.days: Variant($0.orderedDays.map(\.rawValue)),
            ]
        }
        return [
            Key.manual: .bool(isOnByHand), Key.schedule: Variant(hours),
            Key.favorites: .bool(rules.allowsFavorites), Key.repeated: .bool(rules.allowsRepeated),
            Key.providers: Variant(rules.allowedProviders.map(\.rawValue).sorted()),
        ]
    }

    /// Takes in the keys that are there; what is left out stays.
    ///
    /// - Parameter date: now.
    /// - Throws: `InvalidArguments`, with nothing taken in.
    mutating func update(wire: VariantDictionary, at date: WallTime) throws(CallError) {
        var new = self
        if let hours = try wire.optional(Key.schedule, as: [VariantDictionary].self) {
            guard hours.count <= Self.maximumSchedule else {
                throw CallError(
                    .invalidArguments, "schedule has \(hours.count) entries, at most \(Self.maximumSchedule) are kept")
            }
            new.schedule = []
            for entry in hours {
                new.schedule.append(
                    try QuietHours(
                        from: try entry.needed(Key.from), until: try entry.needed(Key.until),
                        days: try entry.optional(Key.days) ?? []))
            }
            new.pausedUntil = 0
        }
        new.rules.allowsFavorites = try wire.optional(Key.favorites) ?? rules.allowsFavorites
        new.rules.allowsRepeated = try wire.optional(Key.repeated) ?? rules.allowsRepeated
        if let names = try wire.optional(Key.providers, as: [String].self) {
            guard names.count <= Self.maximumProviders else {
                throw CallError(
                    .invalidArguments,
                    "providers-allowed has \(names.count) entries, at most \(Self.maximumProviders) are kept")
            }
            new.rules.allowedProviders = []
            for name in names {
                guard let id = Contract.provider(named: name) else {
                    throw CallError(
                        .invalidArguments,
                        "providers-allowed has \"\(name.excerpt)\", expected the id or the path of a provider")
                }
                new.rules.allowedProviders.insert(id)
            }
        }
        new.isOnByHand = try wire.optional(Key.manual) ?? isOnByHand
        self = new
    }
}
