// callctl explain: what led to a call's state.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct ExplainCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell what led to a call's state.",
        discussion: """
            Prints the call's state and the chain of causes, oldest first, each as a sentence with its time. What was \
            asked for and done is one sentence. With --verbose each change has its own, and below it what the daemon \
            logged: the state, the event, the process, the rule's number and the transaction.
            """)

    @Argument(
        help: "The call; optional if there is only one. Those that have ended count if there is no other.",
        completion: .calls)
    var call: String?

    @Flag(name: .shortAndLong, help: "Print every change of state, and what the daemon logged of it.")
    var verbose = false

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let call = try await session.find(call, or: .any, in: snapshot)
        let causes: [VariantDictionary] = try await session.call(
            at: call.path, Contract.call, "Explain", waiting: Session.quickTimeout)
        let story = CallStory(of: call, in: snapshot, causes.map(ToldCause.init))
        try session.output.result(
            (verbose ? story.whole : story.short).joined(separator: "\n"),
            json: .array(causes.map { .object($0.members) }))
    }
}
