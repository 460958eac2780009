// callctl group, ungroup: conversations of more than two.

import ArgumentParser
import CallModel
import EventLoop

struct GroupCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Bring two calls into one conversation.",
        discussion: "The first leaves its own group and joins the second, or the group that one is in.")

    @Argument(help: "The call that joins.")
    var call: String

    @Argument(help: "A call of the same provider to be joined.")
    var with: String

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let (joining, joined) = (try snapshot.call(call), try snapshot.call(with))
        let _: Void = try await session.call(at: joining.path, Contract.call, "GroupWith", joined.path)
        try session.report("grouped", joining, in: snapshot)
    }
}

struct UngroupCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "ungroup", abstract: "Take a call out of its group.",
        discussion: "It goes on alone, and the rest is held.")

    @Argument(help: "The call; may be left out if only one can leave a group.")
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.act(on: call, or: .thatCan("ungroup", be: "ungrouped"), "Ungroup", saying: "ungrouped")
    }
}
