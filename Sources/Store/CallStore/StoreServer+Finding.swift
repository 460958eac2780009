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
        let beginnings = wanted.beginnings
        var people: [FoundPerson] = []
        for favorite in favorites {
            let name = favorite.name.isEmpty ? lookUp(favorite.handle).name : favorite.name
            let words = NameWords(name)
            guard words.match(beginnings) else { continue }
            people.append(FoundPerson(favorite, named: name, isExact: words == wanted))
        }
        let known = Set(people.map(\.key))
        // Each favorite may leave out one of them.
        let contacts = addressBook.people(named: wanted, limit: Self.maximumPeople + known.count)
        return Array((people + contacts.filter { !known.contains($0.key) }).prefix(Self.maximumPeople))
    }
}
