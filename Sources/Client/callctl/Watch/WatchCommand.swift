// callctl watch: prints a line per event until stopped.

import ArgumentParser
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
        let stopped = Stop()
        let watcher = Watcher(on: shared.address) { event in
            let time = WallTime.now
            do throws(Failure) {
                guard let line = output.isJSON ? "" : event.line(at: time, on: output.terminal) else { return }
                try output.result(line, json: event.json(at: time))
            } catch {
                stopped.now(error)
            }
        }
        let signals: SignalWatch
        do {
            signals = try SignalWatch([SIGINT, SIGTERM]) { _ in stopped.now(nil) }
        } catch {
            throw Failure(.refused, "\(error)")
        }
        let failure = await stopped.wait()
        signals.cancel()
        watcher.stop()
        if let failure { throw failure }
    }
}

/// The end of watching, which is reported once.
@LoopActor
private final class Stop {
    private var outcome: Failure??
    private var waiter: CheckedContinuation<Failure?, Never>?

    func now(_ failure: Failure?) {
        guard outcome == nil else { return }
        outcome = .some(failure)
        waiter?.resume(returning: failure)
        waiter = nil
    }

    func wait() async -> Failure? {
        if let outcome { return outcome }
        return await withCheckedContinuation { waiter = $0 }
    }
}
