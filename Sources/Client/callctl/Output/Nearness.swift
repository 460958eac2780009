// Nearness: which words a mistyped one is like.

extension String {
    /// Returns the words that differ least from this one, in their order; none if all differ too much. A word that begins
    /// with this one differs least.
    func nearest(among words: [String]) -> [String] {
        let completions = count < 2 ? [] : words.filter { $0.hasPrefix(self) }
        guard completions.isEmpty else { return completions }
        let distances = words.map { ($0, distance(to: $0)) }
        let least = distances.map(\.1).min() ?? .max
        return least <= Swift.max(1, count / 3) ? distances.filter { $0.1 == least }.map(\.0) : []
    }

    /// Returns how many letters must be changed, added, removed or swapped with their neighbor (Damerau and Levenshtein).
    func distance(to other: String) -> Int {
        let (from, to) = (Array(self), Array(other))
        var rows = [Array(0...to.count)]
        for (row, letter) in from.enumerated() {
            var next = [row + 1]
            for (column, wanted) in to.enumerated() {
                var least = Swift.min(
                    rows[row][column + 1] + 1, next[column] + 1, rows[row][column] + (letter == wanted ? 0 : 1))
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == wanted {
                    least = Swift.min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[from.count][to.count]
    }
}
