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

/// A handle: `tel:…`, `mailto:…`, `type:value`. Without a prefix, digits are a phone number, and text with an `@`
/// inside is an e-mail address.
struct HandleArgument: ExpressibleByArgument, Sendable, Equatable {
    let handle: Handle

    init?(argument: String) {
        let text =
            Self.isNumber(argument) ? "tel:\(argument)" : Self.isAddress(argument) ? "mailto:\(argument)" : argument
        guard let handle = try? Handle(parsing: text) else { return nil }
        self.handle = handle
    }

    private static func isNumber(_ text: String) -> Bool {
        let body = text.hasPrefix("+") ? text.dropFirst() : text[...]
        return body.contains { $0.isNumber }
            && body.unicodeScalars.allSatisfy {
                ("0"..."9").contains($0) || [" ", "-", "(", ")", "/", "."].contains($0)
            }
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let sign = text.firstIndex(of: "@"), sign > text.startIndex else { return false }
        return !text.contains(":") && text.index(after: sign) < text.endIndex
    }
}
