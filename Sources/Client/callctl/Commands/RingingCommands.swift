// callctl answer, reject, silence: commands for ringing calls.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct AnswerCommand: BusCommand {
    static let configuration = CommandConfiguration(commandName: "answer", abstract: "Answer a ringing call.")

    @Argument(help: "The call; optional if only one rings.", completion: .calls)
    var call: String?

    @OptionGroup var conflict: ConflictArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.act(on: call, or: .ringing, "AnswerWith", conflict.options, saying: "answered")
    }
}

struct RejectCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Decline a ringing call.",
        discussion: "Unlike end, it never cuts off a call that has just been answered.", aliases: ["decline"])

    @Argument(help: "The call; optional if only one rings.", completion: .calls)
    var call: String?

    @Option(help: "A reason for the provider, which may pass it on.")
    var reason = ""

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.act(on: call, or: .ringing, "Reject", reason, saying: "rejected")
    }
}

struct SilenceCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "Stop the ringer; the calls continue to ring.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let ringing = try await session.snapshot().calls.filter(Candidates.ringing.fits)
        guard !ringing.isEmpty else { throw Failure(.unknown, "no call that rings") }
        let _: Void = try await session.call(at: DaemonPath.system, Contract.callSystem, "SilenceRinging")
        try session.output.result(
            ringing.allSatisfy { $0.ringMode == .silent } ? "silenced already" : "silenced", json: .object([]))
    }
}
