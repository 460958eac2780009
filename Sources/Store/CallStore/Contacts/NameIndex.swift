// NameIndex: finds names by the beginnings of their words.

/// Many names, and their words, in the order of the alphabet. The names that are equal to another one stand together, and so
/// do the words with one beginning: both are found by halving.
struct NameIndex: Sendable {
    private struct Name: Sendable {
        let words: NameWords
        /// In the list that the index was made of.
        let position: Int32
    }

    private struct Word: Sendable {
        let text: String
        /// Of its name, in the order of the alphabet.
        let place: Int32
    }

    private var names: [Name] = []
    private var words: [Word] = []

    /// The most words of a name that are found.
    static let maximumWords = 16

    init() {}

    /// Sorts a list of names, which takes a while.
    init(_ list: [NameWords]) {
        names = list.enumerated().map { Name(words: $1, position: Int32($0)) }
        // Equal names keep their order.
        names.sort { $0.words == $1.words ? $0.position < $1.position : $0.words < $1.words }
        words.reserveCapacity(2 * names.count)
        for (place, name) in names.enumerated() {
            for word in name.words.list.prefix(Self.maximumWords) {
                words.append(Word(text: String(word), place: Int32(place)))
            }
        }
        words.sort { $0.text < $1.text }
    }

    /// Passes the names of which each wanted word begins a word: first the names that are equal, then the others in the order of
    /// the alphabet.
    ///
    /// - Parameter body: gets the position of a name, and whether the name is equal. Returns whether it wants more.
    func find(_ wanted: NameWords, _ body: (_ position: Int, _ isEqual: Bool) -> Bool) {
        let equal = stretch(of: names.count, from: { names[$0].words >= wanted }, to: { names[$0].words > wanted })
        for place in equal {
            guard body(Int(names[place].position), true) else { return }
        }
        // A word with a longer beginning has the shorter one, too.
        let parts = Set(wanted.list.map(String.init))
        let beginnings = parts.filter { one in !parts.contains { $0.utf8.count > one.utf8.count && $0.hasPrefix(one) } }
        // How many of the beginnings, of which there are 128 at most, each name has.
        var met = [UInt8](repeating: 0, count: names.count)
        var all: UInt8 = 0
        for beginning in beginnings {
            for word in words[self.words(with: beginning)] where met[Int(word.place)] == all {
                met[Int(word.place)] = all + 1
            }
            all += 1
        }
        for place in met.indices where met[place] == all && !equal.contains(place) {
            guard body(Int(names[place].position), false) else { return }
        }
    }

    private func words(with beginning: String) -> Range<Int> {
        stretch(
            of: words.count, from: { words[$0].text >= beginning },
            to: { words[$0].text >= beginning && !words[$0].text.utf8.starts(with: beginning.utf8) })
    }

    /// Returns the numbers below `count` from the first for which `from` is true to the first for which `to` is true. Both are
    /// then true for all that follow.
    private func stretch(of count: Int, from: (Int) -> Bool, to: (Int) -> Bool) -> Range<Int> {
        func first(where isBehind: (Int) -> Bool) -> Int {
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if isBehind(middle) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        return first(where: from)..<first(where: to)
    }
}
