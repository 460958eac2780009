// callctl group, ungroup: join calls in one conversation, and take them apart.

import ArgumentParser
import CallClient
import CallModel
import EventLoop

struct GroupCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Join two calls in one conversation.",
        discussion: "The first call leaves its group and joins the second call, or the group of the second call.",
        aliases: ["merge"])

    @Argument(help: "The call that joins.", completion: .calls)
    var call: String

    @Argument(help: "The call to join, of the same provider.", completion: .calls)
    var with: String

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let joining = try await session.find(call, or: .any, in: snapshot)
        let joined = try await session.find(with, or: .any, in: snapshot)
        let _: Void = try await session.call(at: joining.path, Contract.call, "GroupWith", joined.path)
        try session.report("grouped", joining, in: snapshot)
    }
}

struct UngroupCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "ungroup", abstract: "Take a call out of its group.",
        discussion: "The call stays active, and the rest of the group is held.", aliases: ["split"])

    @Argument(help: "The call; optional if only one can leave a group.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.act(on: call, or: .thatCan(.ungroup, be: "ungrouped"), "Ungroup", saying: "ungrouped")
    }
}
