// Finds favorites and contacts by name.

internal import CallModel
internal import DBus

extension StoreServer {
    /// The most entries of an answer.
    private static var maximumPeople: Int { 20 }

    /// Passes on the reply of FindPeople.
    func findPeople(_ text: String, then: @escaping Completion<[VariantDictionary]>) throws(CallError) {
        let wanted = try NameWords(wanted: text)
        favorites.all { [self] result in
            then(result.map { people(wanted, among: $0).map(\.wire) })
        }
    }

    private func people(_ wanted: NameWords, among favorites: [Favorite]) -> [FoundPerson] {
        let people = named(favorites).people(wanted)
        guard people.count < Self.maximumPeople else { return Array(people.prefix(Self.maximumPeople)) }
        let known = Set(people.map(\.key))
        // Each favorite may leave out one of them.
        let contacts = addressBook.people(named: wanted, limit: Self.maximumPeople + known.count)
        return Array((people + contacts.filter { !known.contains($0.key) }).prefix(Self.maximumPeople))
    }

    /// Returns the favorites with their own names, or those that the store knows.
    func named(_ favorites: [Favorite]) -> FavoriteNames {
        if let favoriteNames { return favoriteNames }
        let names = FavoriteNames(
            favorites.map { favorite in
                let isNamed = !favorite.name.isEmpty
                return (
                    favorite, isNamed ? favorite.name : lookUp(favorite.handle, normalized: favorite.normalized).name
                )
            })
        favoriteNames = names
        return names
    }
}

/// The favorites with the names by which they are found.
struct FavoriteNames {
    private let favorites: [(Favorite, name: String)]
    private let index: NameIndex

    init(_ favorites: [(Favorite, name: String)]) {
        self.favorites = favorites
        index = NameIndex(favorites.map { NameWords($0.name) })
    }

    /// What List returns.
    var wires: [VariantDictionary] {
        favorites.map { favorite, name in favorite.wire.merging(["name": .string(name)]) { $1 } }
    }

    /// Returns the favorites with this name, in their order.
    func people(_ wanted: NameWords) -> [FoundPerson] {
        var found: [(position: Int, isExact: Bool)] = []
        index.find(wanted) {
            found.append(($0, $1))
            return true
        }
        return found.sorted { $0.position < $1.position }.map { position, isExact in
            FoundPerson(favorites[position].0, named: favorites[position].name, isExact: isExact)
        }
    }
}
