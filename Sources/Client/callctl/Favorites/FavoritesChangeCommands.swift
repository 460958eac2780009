// callctl favorites add, remove, move.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct FavoritesAddCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a favorite at the end, or rename an existing one.",
        usage: "callctl favorites add <handle> [<name>] [<options>]",
        discussion: "For example: callctl favorites add +46701740605 Alice")

    @Argument(help: "A number, an address, or a handle as in callctl start.", transform: handle)
    var handle: Handle

    @Argument(help: "The name to show.")
    var name: String = ""

    @Option(
        help: ArgumentHelp("The provider to call with; default: any.", valueName: "provider"), completion: .providers)
    var provider: String?

    @OptionGroup var shared: SharedOptions

    static func handle(_ text: String) throws -> Handle {
        do {
            let dialed = try DialString(parsing: text)
            guard dialed.postDial.isEmpty, dialed.hidesNumber == nil else {
                throw ValidationError("a favorite has nothing before its number and no digits after it")
            }
            return dialed.handle
        } catch let error as CallError {
            throw ValidationError(error.message)
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        var provider = provider ?? ""
        if !provider.isEmpty { provider = try await session.providerID(provider) }
        let wire = Struct(handle.type.rawValue, handle.value)
        let before = try await session.favorites()
        let id: Int64 = try await session.call(
            at: DaemonPath.favorites, Contract.favorites, "Add", wire, name, provider)
        let after = try await session.favorites()
        let (old, new) = (before.first { $0.id == id }, after.first { $0.id == id })
        let name = new?.shownName ?? (name.isEmpty ? handle.value : name)
        let known: VariantDictionary = try await session.call(
            at: DaemonPath.directory, Contract.directory, "Identify", "\(handle)", waiting: Session.quickTimeout)
        let normalized: String = known["normalized", default: handle.value]
        let done =
            if let old {
                old == new ? "\(name) is favorite \(id) already" : "renamed \(old.shownName) to \(name)"
            } else { "added \(name) as \(id)" + (normalized == name ? "" : ", \(normalized)") }
        let warning = known["region"] == .string("") ? "; \(String.unknownRegion)" : ""
        try session.output.result(
            (done + warning).printable,
            json: .object([JSON.Member("id", .integer(id)), JSON.Member("normalized", .string(normalized))]))
    }
}

struct FavoritesRemoveCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a favorite.", discussion: "For example: callctl favorites remove alice"
    )

    @Argument(help: "The favorite.", completion: .favorites)
    var favorite: String

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let favorite = try await session.favorite(favorite)
        let _: Void = try await session.call(at: DaemonPath.favorites, Contract.favorites, "Remove", favorite.id)
        try session.output.result("removed \(favorite.party)".printable, json: JSON(favorite.properties))
    }
}

struct FavoritesMoveCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a favorite to another place.",
        discussion: "For example: callctl favorites move alice first")

    @Argument(help: "The favorite.", completion: .favorites)
    var favorite: String

    @Argument(help: "first, last, or the number of the place.")
    var place: Place

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let favorites = try await session.favorites()
        let favorite = try FavoriteRow.find(favorite, in: favorites)
        let _: Void = try await session.call(
            at: DaemonPath.favorites, Contract.favorites, "Move", favorite.id, place.position)
        let wasThere = favorites[place.index(among: favorites.count)].id == favorite.id
        let name = place.text(among: favorites.count)
        let done =
            wasThere ? "\(favorite.party) is at \(name) already" : "moved \(favorite.party) to \(name)"
        try session.output.result(done.printable, json: JSON(favorite.properties))
    }
}

/// A place in the order; the first is 1 on the command line and 0 on the bus.
struct Place: ExpressibleByArgument, Sendable, Equatable {
    let position: UInt32

    init?(argument: String) {
        switch argument.lowercased() {
        case "first": position = 0
        case "last": position = .max
        case let text:
            guard let number = UInt32(text), number > 0 else { return nil }
            position = number - 1
        }
    }

    /// The index in an order of so many items; a place beyond the end is the last one.
    func index(among count: Int) -> Int { min(Int(position), count - 1) }

    func text(among count: Int) -> String {
        switch position {
        case 0: "the first place"
        case .max: "the last place"
        default: "place \(index(among: count) + 1)"
        }
    }
}
