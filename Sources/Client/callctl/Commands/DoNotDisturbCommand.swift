// callctl dnd: do not disturb.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct DoNotDisturbCommand: BusCommand {
    enum Setting: String, ExpressibleByArgument, CaseIterable, Sendable {
        case on, off, status
    }

    enum Answer: String, ExpressibleByArgument, CaseIterable, Sendable {
        case yes, no
    }

    static let configuration = CommandConfiguration(
        commandName: "dnd", abstract: "Show or set Do Not Disturb.",
        discussion: """
            Prints on or off; with status or any option, prints the schedule and the exceptions too. Emergency calls \
            and callers on the allow list always ring. Filtered calls are listed as missed.

            On lasts until you turn it off; off lasts until the schedule next turns it on. The settings are kept when \
            the daemon restarts.

            callctl dnd --schedule 22:00-07:00 --schedule 23:00-09:30@fri,sat
            """)

    @Argument(help: "on, off or status; default: print the current setting.")
    var setting: Setting?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Turn on at these hours, every day or on these days, in local time; may be repeated. none: no schedule.",
            valueName: "from-until[@days]"))
    var schedule: [ScheduleOption] = []

    @Option(help: "Whether favorites ring.")
    var allowFavorites: Answer?

    @Option(help: "Whether a filtered caller who calls again within 3 minutes rings.")
    var allowRepeated: Answer?

    @Option(help: ArgumentHelp("Providers whose calls ring; none for no provider.", valueName: "id,…"))
    var allowProviders: String?

    /// Answered with what there is instead.
    @Option(parsing: .unconditional, help: .hidden)
    var until: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard until == nil else {
            throw ValidationError(
                "there is no --until: on lasts until you turn it off; for hours of the day, --schedule 22:00-07:00")
        }
        guard schedule.count < 2 || !schedule.contains(.never) else {
            throw ValidationError("--schedule none cannot be combined with another --schedule")
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        if !rules.isEmpty { try await session.setProperty("DoNotDisturbRules", to: rules) }
        if let setting, setting != .status { try await session.setProperty("DoNotDisturb", to: setting == .on) }
        let isOn: Bool = try await session.property("DoNotDisturb")
        let word = (isOn ? Setting.on : .off).rawValue
        let sources: [String] = try await session.property("QuietSources")
        let members = [
            JSON.Member("do-not-disturb", .bool(isOn)),
            JSON.Member("quiet-sources", .array(sources.map { .string($0) })),
        ]
        guard setting == .status || !rules.isEmpty else {
            let others = isOn || sources.isEmpty ? "" : ", but quiet by \(sources.joined(separator: ", "))"
            return try session.output.result(word + others, json: .object(members))
        }
        let rules: VariantDictionary = try await session.property("DoNotDisturbRules")
        try session.output.result(
            word + "\n" + Self.text(of: rules, quietBy: sources, on: session.output.terminal),
            json: .object(members + [JSON.Member("do-not-disturb-rules", JSON(rules))]))
    }

    /// The rules that the options change.
    private var rules: VariantDictionary {
        var rules = VariantDictionary()
        if !schedule.isEmpty { rules.set("schedule", schedule.compactMap(\.wire)) }
        rules.set("allow-favorites", allowFavorites.map { $0 == .yes })
        rules.set("allow-repeated", allowRepeated.map { $0 == .yes })
        if let allowProviders {
            let names = allowProviders == "none" ? [] : allowProviders.split(separator: ",").map(String.init)
            rules.set("providers-allowed", names)
        }
        return rules
    }

    static func text(
        of rules: VariantDictionary, quietBy sources: [String] = [], on terminal: Terminal
    ) -> String {
        let hours = (try? rules.value("schedule", as: [VariantDictionary].self)) ?? []
        let providers = (try? rules.value("providers-allowed", as: [String].self)) ?? []
        func ring(_ key: String) -> Cell {
            (try? rules.value(key, as: Bool.self)) == true ? "ring" : "do not ring"
        }
        let schedule = hours.enumerated().map { index, entry in
            let from = (try? entry.value("from", as: String.self)) ?? ""
            let until = (try? entry.value("until", as: String.self)) ?? ""
            let days = (try? entry.value("days", as: [String].self)) ?? []
            let isDaily = days.isEmpty || days.count == 7
            let text = "\(from)–\(until) " + (isDaily ? "every day" : "on \(days.joined(separator: ", "))")
            return (index == 0 ? "schedule" : "", Cell(text))
        }
        return Table.facts(
            (schedule.isEmpty ? [("schedule", "none")] : schedule) + [
                ("favorites", ring("allow-favorites")), ("repeated callers", ring("allow-repeated")),
                ("providers that ring", Cell(providers.isEmpty ? "none" : providers.joined(separator: ", "))),
                ("quiet by", Cell(sources.isEmpty ? "no desktop" : sources.joined(separator: ", "))),
            ], on: terminal)
    }
}

/// `22:00-07:00`, `22:00-07:00@fri,sat` or `none`; the daemon validates the times and days.
enum ScheduleOption: ExpressibleByArgument, Equatable, Sendable {
    case never
    case hours(from: String, until: String, days: [String])

    init?(argument: String) {
        if argument == "none" {
            self = .never
            return
        }
        let halves = argument.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let times = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let days = halves.count == 2 ? halves[1].split(separator: ",").map(String.init) : []
        guard times.count == 2, halves.count == 1 || !days.isEmpty else { return nil }
        self = .hours(from: times[0], until: times[1], days: days)
    }

    var wire: VariantDictionary? {
        guard case .hours(let from, let until, let days) = self else { return nil }
        return ["from": .string(from), "until": .string(until), "days": Variant(days)]
    }
}
