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

    @Argument(help: "The favorite.", completion: .favorites)
    var favorite: String

    @Flag(help: "Make it a video call.")
    var video = false

    @OptionGroup var conflict: ConflictArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        var options = conflict.options
        options.set("video", video ? true : nil)
        try await session.start(try await session.favorite(favorite).callee, options)
    }
}
