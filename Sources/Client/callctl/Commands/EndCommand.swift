// callctl end: end one call or all calls.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct EndCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End a call, or decline a ringing one.", aliases: ["hangup"])

    @OptionGroup var end: EndArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        guard end.all else {
            try await session.act(on: end.call, or: .live, "End", saying: "ended")
            return
        }
        let calls = try await session.snapshot().calls.filter(Candidates.live.fits)
        guard !calls.isEmpty else { throw Failure(.unknown, "no call") }
        let states = CallState.allCases.filter { $0 != .ending && $0 != .ended }.map(\.rawValue)
        let _: Void = try await session.call(at: DaemonPath.system, Contract.callSystem, "EndCalls", states)
        try session.output.result(
            "ended \(calls.count) \(calls.count == 1 ? "call" : "calls")", json: .array(calls.map(\.path.reference)))
    }
}
