// callctl recents call-back: calls the other party of a recent call.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct RecentsCallBackCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "call-back", abstract: "Call the other party of a recent call.",
        usage: "callctl recents call-back [<id>] [<options>]",
        discussion: """
            Uses the provider that had the call, or otherwise the first one that takes the handle's type. Prints the \
            new call's id.

            For example: callctl recents call-back 12
            """)

    @Argument(help: "The id that callctl recents shows; default: the newest call.")
    var id: RecentID?

    @Flag(help: "Make it a video call.")
    var video = false

    @OptionGroup var conflict: ConflictArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        var id = id?.number
        if id == nil { id = try await session.recents([:], atMost: 1).first.map { Int64(clamping: $0.id) } }
        guard let id else { throw Failure(.unknown, "no recents") }
        try await session.requireRecents([id])
        var options = conflict.options
        options.set("video", video ? true : nil)
        let call: ObjectPath = try await session.call(
            at: DaemonPath.recents, Contract.recents, "CallBack", id, options)
        try session.report(started: call)
    }
}
