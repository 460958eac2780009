// One favorite.

import CallClient
import CallModel
import DBus
import EventLoop

/// A favorite, as returned by Favorites1.
struct FavoriteRow: Readable, Sendable, Equatable {
    let properties: VariantDictionary

    var id: Int64 { Int64(clamping: count("id")) }
    var party: String { party("name", "handle") }

    /// The name, or the handle of a favorite without one.
    var shownName: String { text("name").isEmpty ? handle("handle").value : text("name") }

    var callee: Callee {
        let (type, value) = handle("handle")
        return Callee(handle: "\(type):\(value)", provider: text("provider-id"))
    }

    /// Returns one line per favorite, in the user's order.
    static func table(of favorites: [FavoriteRow], on terminal: Terminal) -> String {
        guard !favorites.isEmpty else { return "no favorites" }
        var table = Table(columns: [
            .right("PLACE").leaves(3), .right("ID"), .main("NAME"), .flexible("HANDLE"), .fixed("TYPE").leaves(1),
            .flexible("PROVIDER").leaves(2),
        ])
        table.rows = favorites.enumerated().map { index, favorite in
            let (type, value) = favorite.handle("handle")
            return [
                Cell(String(index + 1), .dim), Cell(String(favorite.id)), Cell(favorite.text("name"), .bold),
                Cell(value), Cell(type, .dim), Cell(favorite.text("provider-id")),
            ]
        }
        return table.text(on: terminal)
    }

    /// Returns the favorite that `reference` names: an id, a name or a handle, or the beginning of one.
    static func find(_ reference: String, in favorites: [FavoriteRow]) throws(Failure) -> FavoriteRow {
        let wanted = reference.lowercased()
        let number = wanted.hasPrefix("#") ? wanted.dropFirst() : wanted[...]
        if let id = Int64(number), let favorite = favorites.first(where: { $0.id == id }) { return favorite }
        func texts(of favorite: FavoriteRow) -> [String] {
            [favorite.text("name"), favorite.handle("handle").value].map { $0.lowercased() }
        }
        var fitting = favorites.filter { texts(of: $0).contains(wanted) }
        if fitting.isEmpty { fitting = favorites.filter { texts(of: $0).contains { $0.hasPrefix(wanted) } } }
        guard let only = try only(of: fitting, for: reference) else {
            throw Failure(.unknown, "no favorite \"\(reference)\"")
        }
        return only
    }

    /// - Throws: if there are several.
    private static func only(of fitting: [FavoriteRow], for reference: String) throws(Failure) -> FavoriteRow? {
        guard let only = fitting.first else { return nil }
        guard fitting.count == 1 else {
            let lines = fitting.map { "  \($0.id)  \($0.party)" }
            throw Failure(
                .unknown, (["\"\(reference)\" matches \(fitting.count) favorites:"] + lines).joined(separator: "\n"))
        }
        return only
    }
}

extension Session {
    func favorites() async throws(Failure) -> [FavoriteRow] {
        let rows: [VariantDictionary] = try await call(
            at: DaemonPath.favorites, Contract.favorites, "List", waiting: Self.quickTimeout)
        return rows.map { FavoriteRow(properties: $0) }
    }

    func favorite(_ reference: String) async throws(Failure) -> FavoriteRow {
        try FavoriteRow.find(reference, in: try await favorites())
    }
}
