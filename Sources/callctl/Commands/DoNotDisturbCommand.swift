// callctl dnd: do not disturb.

import ArgumentParser
import EventLoop

struct DoNotDisturbCommand: BusCommand {
    enum Setting: String, ExpressibleByArgument, CaseIterable, Sendable {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "dnd", abstract: "Tell or set whether new calls are refused.",
        discussion: "Prints on or off. Emergency calls come through in any case.")

    @Argument(help: "on or off; left out, nothing is changed.")
    var setting: Setting?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        if let setting { try await session.setProperty("DoNotDisturb", to: setting == .on) }
        let isOn: Bool = try await session.property("DoNotDisturb")
        try session.output.result(
            (isOn ? Setting.on : .off).rawValue, json: .object([JSON.Member("DoNotDisturb", .bool(isOn))]))
    }
}
