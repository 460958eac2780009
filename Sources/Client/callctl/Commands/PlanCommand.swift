// callctl plan: what a request would do.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show what a request would do, without doing it.",
        discussion: """
            Prints the actions in the order in which they would be performed, including those that the daemon adds, \
            each with the number of the arbitration rule that added it. Fails as the request itself would be refused.
            """,
        subcommands: [Start.self, Answer.self, End.self, Hold.self, Resume.self])

    struct Start: PlanSubcommand {
        static let configuration = CommandConfiguration(abstract: "Plan a start.")

        @OptionGroup var start: StartArguments
        @OptionGroup var shared: SharedOptions

        var options: VariantDictionary { start.conflict.options }

        @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction] {
            let provider: ObjectPath? = try start.provider.map { name throws(Failure) in
                try snapshot.provider(name).path
            }
            let callee = try await session.callee(start.handle, with: provider)
            var args = try await session.options(start.options(provider: provider), for: callee)
            args.set("handle", callee.dialed)
            return [RequestedAction(kind: .start, args: args)]
        }
    }

    struct Answer: PlanSubcommand {
        static let configuration = CommandConfiguration(abstract: "Plan an answer.")

        @Argument(help: "The call; optional if only one rings.", completion: .calls)
        var call: String?

        @OptionGroup var conflict: ConflictArguments
        @OptionGroup var shared: SharedOptions

        var options: VariantDictionary { conflict.options }

        @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction] {
            [.on(try await session.find(call, or: .ringing, in: snapshot), .answer)]
        }
    }

    struct End: PlanSubcommand {
        static let configuration = CommandConfiguration(abstract: "Plan an end.")

        @OptionGroup var end: EndArguments
        @OptionGroup var shared: SharedOptions

        @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction] {
            guard !end.all else { return snapshot.calls.filter(Candidates.live.fits).map { .on($0, .end) } }
            return [.on(try await session.find(end.call, or: .live, in: snapshot), .end)]
        }
    }

    struct Hold: PlanSubcommand {
        static let configuration = CommandConfiguration(abstract: "Plan a hold.")

        @Argument(help: "The call; optional if only one can be held.", completion: .calls)
        var call: String?

        @OptionGroup var shared: SharedOptions

        @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction] {
            let call = try await session.find(call, or: .thatCan(.hold, be: "held"), in: snapshot)
            return [.on(call, .setHeld, ["on-hold": true])]
        }
    }

    struct Resume: PlanSubcommand {
        static let configuration = CommandConfiguration(abstract: "Plan a resume.")

        @Argument(help: "The call; optional if only one can be resumed.", completion: .calls)
        var call: String?

        @OptionGroup var shared: SharedOptions

        @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction] {
            let call = try await session.find(call, or: .thatCan(.resume, be: "resumed"), in: snapshot)
            return [.on(call, .setHeld, ["on-hold": false])]
        }
    }
}
