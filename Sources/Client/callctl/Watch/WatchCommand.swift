// callctl watch: prints a line per event until stopped.

import ArgumentParser
import CallModel
import DBus
import EventLoop
import Glibc

struct WatchCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print a line per event until stopped.",
        discussion: """
            Prints the existing objects first, and continues when the daemon or the bus returns. With --json, each \
            event is an object on a line of its own. SIGINT and SIGTERM end it with exit code 0.
            """)

    @OptionGroup var shared: SharedOptions
    var printsJSON: Bool { shared.json }

    @LoopActor func execute(_ output: Output) async throws(Failure) {
        try await Session(to: shared.address, output: output).close()  // a missing bus is an error only at the start
        let (ends, end) = AsyncStream.makeStream(of: Failure?.self, bufferingPolicy: .bufferingOldest(1))
        let watcher = Watcher(on: shared.address) { event in
            let time = WallTime.now
            do throws(Failure) {
                guard let line = output.isJSON ? "" : event.line(at: time, on: output.terminal) else { return }
                try output.result(line, json: event.json(at: time))
            } catch {
                end.yield(error)
            }
        }
        let signals: SignalWatch
        do {
            signals = try SignalWatch([SIGINT, SIGTERM]) { _ in end.yield(nil) }
        } catch {
            throw Failure(.refused, "\(error)")
        }
        let failure = await ends.first { @Sendable _ in true } ?? nil
        signals.cancel()
        watcher.stop()
        if let failure { throw failure }
    }
}
