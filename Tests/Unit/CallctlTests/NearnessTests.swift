// Nearness: what a mistyped word is like, and keys of JSON.

import Testing

@testable import callctl

@Suite struct NearnessTests {
    private let words = ["list", "show", "explain", "start", "answer", "hold", "mute", "unmute"]

    @Test(arguments: [
        ("lst", ["list"]), ("lits", ["list"]), ("exp", ["explain"]), ("anwser", ["answer"]), ("unmutee", ["unmute"]),
        ("xyzzy", []), ("", []), ("mutt", ["mute"]),
    ])
    func nearest(word: String, found: [String]) {
        #expect(word.nearest(among: words) == found)
    }

    @Test(arguments: [("", "", 0), ("", "abc", 3), ("abc", "acb", 1), ("kitten", "sitting", 3)])
    func distance(one: String, other: String, expected: Int) {
        #expect(one.distance(to: other) == expected)
        #expect(other.distance(to: one) == expected)
    }

    @Test(arguments: [
        ("State", "state"), ("CallerName", "caller-name"), ("SDKVersion", "sdk-version"), ("Id", "id"),
        ("caller-name", "caller-name"), ("duration-ms", "duration-ms"),
    ])
    func dashed(name: String, key: String) {
        #expect(name.dashed == key)
    }
}
