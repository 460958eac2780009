// callctl recents: the recent calls.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct RecentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recents", abstract: "List, search, export or delete recent calls, or call back.",
        discussion: "For example: callctl recents --missed --since yesterday",
        subcommands: [
            List.self, RecentsReadCommand.self, RecentsDeleteCommand.self, RecentsClearCommand.self,
            RecentsExportCommand.self, RecentsCallBackCommand.self, RecentsKeepCommand.self,
        ], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the recent calls, newest first.",
            usage: "callctl recents [list] [<options>]",
            discussion: "For example: callctl recents --missed --since mon")

        @OptionGroup var filter: RecentFilterOptions

        @Option(
            parsing: .unconditional, help: ArgumentHelp("The maximum number of calls.", valueName: "count"))
        var limit = 20

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard (1..<Int(UInt32.max)).contains(limit) else {
                throw ValidationError("--limit is \(limit), expected a count from 1 to \(UInt32.max - 1)")
            }
        }

        @LoopActor func run(in session: Session) async throws(Failure) {
            let filter = try await filter.filter(in: session, at: .now)
            // One more call than wanted shows whether there are older ones.
            let found = try await session.recents(filter, atMost: UInt64(limit) + 1)
            let calls = Array(found.prefix(limit))
            var text = RecentCall.table(of: calls, at: .now, on: session.output.terminal)
            if found.count > calls.count { text += "\nfor older calls: --limit, --until, or callctl recents export" }
            try session.output.result(text, json: .array(calls.map(\.json)))
            let trouble: String = try await session.property("Degraded", of: Contract.recents, at: DaemonPath.recents)
            if !trouble.isEmpty { Output.complain("the recents may be incomplete: \(trouble)") }
        }
    }
}

/// `12` or `#12`.
struct RecentID: ExpressibleByArgument, Sendable, Equatable {
    let number: Int64

    init?(argument: String) {
        let digits = argument.hasPrefix("#") ? argument.dropFirst() : argument[...]
        guard let number = Int64(digits), number > 0 else { return nil }
        self.number = number
    }
}
