// callctl list: the calls.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct ListCommand: BusCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the calls.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        try session.output.result(
            snapshot.callTable(at: .now, on: session.output.terminal),
            json: .array(snapshot.calls.map(\.json)))
    }
}

extension Snapshot {
    /// One line per call, or "no calls".
    func callTable(at now: MonotonicTime, on terminal: Terminal) -> String {
        guard !calls.isEmpty else { return "no calls" }
        var table = Table(columns: [
            "ID", .fixed("STATE").shortens(2), .fixed("DIRECTION").leaves(1), .main("CALLER"),
            .flexible("PROVIDER").leaves(5), .right("TIME").leaves(3), .flexible("NOTES").leaves(4),
        ])
        table.rows = calls.map { call in
            [
                Cell(shortID(of: call), .bold), Cell(stateText(of: call), call.stateStyle, brief: call.state.rawValue),
                Cell(call.direction.rawValue), Cell(call.party), Cell(call.provider?.rawValue ?? ""),
                Cell(call.durationText(at: now) ?? ""), Cell(call.notes.joined(separator: ", "), .dim),
            ]
        }
        return table.text(on: terminal)
    }
}
