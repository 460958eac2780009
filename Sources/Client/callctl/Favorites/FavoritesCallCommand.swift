// callctl favorites call: call a favorite.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct FavoritesCallCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call a favorite.",
        usage: "callctl favorites call <favorite> [<options>]",
        discussion: """
            Uses the favorite's provider if it is ready, otherwise the first one that takes the handle's type. Prints \
            the new call's id.

            For example: callctl favorites call alice --video
            """)

    @Argument(help: "The favorite.")
    var favorite: String

    @Flag(help: "Make it a video call.")
    var video = false

    @OptionGroup var conflict: ConflictArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let favorite = try await session.favorite(favorite)
        let wanted = favorite.text("provider")
        var options = conflict.options
        options.set("video", video ? true : nil)
        if !wanted.isEmpty {
            let providers = try await session.snapshot().providers
            let ready = providers.first { $0.id == wanted && $0.text("State") == "ready" }
            options.set("provider", ready?.path)
        }
        let call: ObjectPath = try await session.call(
            at: DaemonPath.system, Contract.callSystem, "StartCall", favorite.handleText, options)
        try session.report(started: call)
    }
}
