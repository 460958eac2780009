// callctl desktop press: what a key does.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct PressCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "press", abstract: "Do what a key for calls does.",
        discussion: """
            For keys of the desktop, which name no call: answer, decline and silence mean the call that rings aloud, and \
            of several ones the one that has rung longest; hang-up ends the calls that are not on hold.
            """)

    @Argument(help: "The key: \(CallKey.words).") var key: CallKey
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        switch key.request(among: try await session.snapshot().calls) {
        case .answer(let call): let _: Void = try await session.call(at: call, Contract.call, "Answer")
        case .reject(let call): let _: Void = try await session.call(at: call, Contract.call, "Reject", "")
        case .silence:
            let _: Void = try await session.call(at: DaemonPath.system, Contract.callSystem, "SilenceRinging")
        case .end(let states):
            let _: Void = try await session.call(at: DaemonPath.system, Contract.callSystem, "EndCalls", states)
        case nil: throw Failure(.unknown, key == .hangUp ? "no call to hang up" : "no call that rings")
        }
    }
}

extension CallKey: ExpressibleByArgument {
    static let words = allCases.map(\.rawValue).joined(separator: ", ")
}
