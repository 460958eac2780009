// callctl favorites: the user's favorites.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct FavoritesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favorites", abstract: "List, add, remove, order or call favorites.",
        discussion: """
            FAVORITE is an id, a name or a handle, or the beginning of one of them.

            For example: callctl favorites call ali
            """,
        subcommands: [
            List.self, FavoritesAddCommand.self, FavoritesRemoveCommand.self, FavoritesMoveCommand.self,
            FavoritesCallCommand.self,
        ], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the favorites in their order.", discussion: "For example: callctl favorites")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let favorites = try await session.favorites()
            try session.output.result(
                FavoriteRow.table(of: favorites, on: session.output.terminal),
                json: .array(favorites.map { JSON($0.properties) }))
        }
    }
}
