// callctl explain: why a call is in the state it is.

import ArgumentParser
import CallModel
import EventLoop

struct ExplainCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell why a call is in the state it is.",
        discussion: """
            Prints the chain of causes, oldest first: the time, the state and what led to it, on whose account, by which \
            rule of the decision table and in which transaction. Lines that do not fit the terminal are continued.
            """)

    @Argument(help: "The call; may be left out if there is only one.")
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let call = try await session.snapshot().call(call, or: .any)
        let causes: [String] = try await session.call(
            at: call.path, Contract.call, "Explain", waiting: Session.quickMilliseconds)
        try session.output.result(
            causes.map { $0.printable.wrapped(to: session.output.terminal.width) }.joined(separator: "\n"),
            json: .array(causes.map { .string($0) }))
    }
}
