// What all commands share: their options and their connection to the bus.

import ArgumentParser
import EventLoop

struct SharedOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON: times are microseconds since the epoch, durations milliseconds.")
    var json = false

    @Option(help: ArgumentHelp("A bus other than the session bus.", valueName: "bus"))
    var address: String?
}

/// A command that runs on the loop.
protocol LoopCommand: ParsableCommand, Sendable {
    var printsJSON: Bool { get }
    @LoopActor func execute(_ output: Output) async throws(Failure)
}

/// A command that uses one session with the daemon.
protocol BusCommand: LoopCommand {
    var shared: SharedOptions { get }
    @LoopActor func run(in session: Session) async throws(Failure)
}

extension BusCommand {
    var printsJSON: Bool { shared.json }

    @LoopActor func execute(_ output: Output) async throws(Failure) {
        let session = try await Session(to: shared.address, output: output)
        defer { session.close() }
        do {
            try await run(in: session)
        } catch {
            throw await session.hinting(await session.shortening(error))
        }
    }
}
