// callctl hold, resume, mute, unmute.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct HoldCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Put a call and its group on hold.")

    @Argument(help: "The call; optional if only one can be held.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        // A call that the daemon or the provider has put on hold is held by the user from now on.
        try await session.act(on: call, or: .thatCan(.hold, be: "held"), "SetHeld", true, saying: "held") {
            $0.state == .held && $0.heldBy == .user
        }
    }
}

struct ResumeCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Take a call off hold, or swap two calls.", aliases: ["swap"])

    @Argument(help: "The call; optional if only one can be resumed.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.act(
            on: call, or: .thatCan(.resume, be: "resumed"), "SetHeld", false, saying: "resumed", already: "active"
        ) { $0.state == .active }
    }
}

struct MuteCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Mute this side of a call.")

    @Argument(help: "The call; optional if only one can be muted.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let candidates = Candidates.that("can be muted", "can be muted") { $0.can.contains(.mute) && !$0.muted }
        try await session.act(on: call, or: candidates, "SetMuted", true, saying: "muted") { $0.muted }
    }
}

struct UnmuteCommand: BusCommand {
    static let configuration = CommandConfiguration(commandName: "unmute", abstract: "Unmute this side of a call.")

    @Argument(help: "The call; optional if only one is muted.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let candidates = Candidates.that("is muted", "are muted") { $0.muted && !$0.hasEnded }
        try await session.act(on: call, or: candidates, "SetMuted", false, saying: "unmuted") { !$0.muted }
    }
}
