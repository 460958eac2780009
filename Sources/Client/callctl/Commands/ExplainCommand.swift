// callctl explain: what led to a call's state.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct ExplainCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show what led to a call's state.",
        discussion: """
            Prints the chain of causes, oldest first: the time, the state, the event, who brought it about, the rule \
            of the decision table and the transaction. Lines that do not fit the terminal are wrapped.
            """)

    @Argument(help: "The call; optional if only one has not ended.")
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let call = try await session.find(call, or: .any, in: try await session.snapshot())
        let causes: [VariantDictionary] = try await session.call(
            at: call.path, Contract.call, "Explain", waiting: Session.quickTimeout)
        let lines = causes.map { cause in
            "\(WallTime(microseconds: cause["at", default: 0]).timeOfDay) \(cause["text", default: ""])"
        }
        try session.output.result(
            lines.map { $0.printable.wrapped(to: session.output.terminal.width) }.joined(separator: "\n"),
            json: .array(causes.map { .object($0.members) }))
    }
}
