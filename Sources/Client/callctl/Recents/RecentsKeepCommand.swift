// callctl recents keep: for how long, and how many.

import ArgumentParser
import CallModel
import EventLoop

struct RecentsKeepCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep", abstract: "Tell or set how many calls of the past are kept, and for how long.",
        usage: "callctl recents keep [<options>]",
        discussion: """
            What is beyond is deleted now and whenever a call ends; 0 keeps everything.

            For example: callctl recents keep --days 90
            """)

    @Option(help: ArgumentHelp("Days; left out, as before.", valueName: "count"))
    var days: UInt32?

    @Option(help: ArgumentHelp("Calls; left out, as before.", valueName: "count"))
    var rows: UInt32?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        var kept = try await Self.kept(in: session)
        if days != nil || rows != nil {
            kept = (days ?? kept.days, rows ?? kept.rows)
            let _: Void = try await session.call(
                at: Session.recents, Contract.recents, "SetRetention", kept.days, kept.rows)
        }
        let days = kept.days == 0 ? "however old" : "for \(UInt64(kept.days).counted("day", "days"))"
        let rows = kept.rows == 0 ? "all calls" : "at most \(UInt64(kept.rows).counted("call", "calls"))"
        try session.output.result(
            "\(rows), \(days)",
            json: .object([
                JSON.Member("RetentionDays", .unsigned(UInt64(kept.days))),
                JSON.Member("RetentionRows", .unsigned(UInt64(kept.rows))),
            ]))
    }

    @LoopActor private static func kept(in session: Session) async throws(Failure) -> (days: UInt32, rows: UInt32) {
        (
            try await session.property("RetentionDays", of: Contract.recents, at: Session.recents),
            try await session.property("RetentionRows", of: Contract.recents, at: Session.recents)
        )
    }
}
