// What a transcript says that cannot be the same where time passes by itself, and how much of it.
//
// - Dates. That the dates of a call alone have changed depends on whether the clock has moved between two steps, and
//   `at=` is of the run's own clock.
// - Times left. `by=+995ms` and `arm … +995ms` are what is left of a time that began earlier: they may differ by as much
//   as the run is late.

import CallModel

enum RealTime {
    /// Whether two transcripts say the same, if times may differ by `lag` ms.
    static func isSame(_ lines: [String], _ others: [String], lag: Int) -> Bool {
        let (mine, theirs) = (lines.filter { !isAboutDates($0) }, others.filter { !isAboutDates($0) })
        return mine.count == theirs.count && zip(mine, theirs).allSatisfy { isSame($0, $1, lag) }
    }

    /// Answers without dates, and in an order that does not hang on them.
    static func plain(answer lines: [String]) -> [String] {
        lines.map { line in
            line.split(separator: " ").map { word in
                let name = word.prefix { $0 != "=" }
                return ["started", "connected", "ended"].contains(name) ? String(name) : String(word)
            }.joined(separator: " ")
        }.sorted()
    }

    static func isAboutDates(_ line: String) -> Bool { line.hasPrefix("changed ") && line.hasSuffix(" dates") }

    private static func isSame(_ line: String, _ other: String, _ lag: Int) -> Bool {
        let (mine, theirs) = (line.split(separator: " "), other.split(separator: " "))
        return mine.count == theirs.count
            && zip(mine, theirs).allSatisfy { word, other in
                if word == other { return true }
                guard let time = time(word), let meant = Self.time(other) else { return false }
                return abs(time - meant) <= lag
            }
    }

    /// The number in `+995ms` and `by=+995ms`.
    private static func time(_ word: Substring) -> Int? {
        let word = word.hasPrefix("by=") ? word.dropFirst(3) : word
        guard word.hasPrefix("+"), word.hasSuffix("ms") else { return nil }
        return Int(word.dropFirst().dropLast(2))
    }

    /// An input without what is the run's own.
    static func plain(_ input: String) -> String {
        input.split(separator: " ").filter { !$0.hasPrefix("at=") }.joined(separator: " ")
    }
}
