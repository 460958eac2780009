// callctl recents keep: the limits on the number and age of recent calls.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct RecentsKeepCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Show or set how many recent calls are kept, and for how long.",
        usage: "callctl recents keep [<options>]",
        discussion: """
            Calls beyond the limits are deleted at once and whenever a call ends; 0 means no limit.

            For example: callctl recents keep --days 90
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum age in days; default: unchanged.", valueName: "count"))
    var days: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum number of calls; default: unchanged.", valueName: "count"))
    var rows: Int?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        for (name, count) in [("--days", days), ("--rows", rows)] {
            guard let count, UInt32(exactly: count) == nil else { continue }
            throw ValidationError("\(name) is \(count), expected a count from 0, for no limit, to \(UInt32.max)")
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        var kept = try await Self.kept(in: session)
        if days != nil || rows != nil {
            kept = (days.map { UInt32(clamping: $0) } ?? kept.days, rows.map { UInt32(clamping: $0) } ?? kept.rows)
            let _: Void = try await session.call(
                at: DaemonPath.recents, Contract.recents, "SetRetention", kept.days, kept.rows)
        }
        let days = kept.days == 0 ? "of any age" : "for \(UInt64(kept.days).counted("day", "days"))"
        let rows = kept.rows == 0 ? "all calls" : "at most \(UInt64(kept.rows).counted("call", "calls"))"
        try session.output.result(
            "\(rows), \(days)",
            json: .object([
                JSON.Member("retention-days", .unsigned(UInt64(kept.days))),
                JSON.Member("retention-rows", .unsigned(UInt64(kept.rows))),
            ]))
    }

    @LoopActor private static func kept(in session: Session) async throws(Failure) -> (days: UInt32, rows: UInt32) {
        (
            try await session.property("RetentionDays", of: Contract.recents, at: DaemonPath.recents),
            try await session.property("RetentionRows", of: Contract.recents, at: DaemonPath.recents)
        )
    }
}
