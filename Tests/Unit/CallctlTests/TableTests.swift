// Tables, widths and truncation.

import Testing

@testable import callctl

@Suite struct TableTests {
    private let columns = [
        Table.Column(title: "ID"), Table.Column(title: "NAME", isFlexible: true), Table.Column(title: "EMPTY"),
        Table.Column(title: "TIME", alignsRight: true),
    ]

    @Test func columnsAlignAndEmptyOnesAreLeftOut() {
        let table = Table(columns: columns, rows: [["1", "Alice", "", "0:05"], ["22", "Bob", "", "12:05"]])
        #expect(table.text(on: .plain) == "ID  NAME    TIME\n1   Alice   0:05\n22  Bob    12:05")
    }

    @Test func flexibleColumnsGiveWay() {
        let name = String(repeating: "long ", count: 40)
        let table = Table(columns: columns, rows: [["1", Cell(name), "", "0:05"]])
        let lines = table.text(on: Terminal(width: 40, showsColors: false)).split(separator: "\n").map(String.init)
        #expect(lines.map(\.displayWidth) == [40, 40])
        #expect(lines[1].hasPrefix("1   long long"))
        #expect(lines[1].hasSuffix("…  0:05"))
    }

    @Test(arguments: [
        (80, "ID STATE DIRECTION CALLER PROVIDER TIME"), (55, "ID STATE CALLER PROVIDER TIME"),
        (50, "ID STATE CALLER PROVIDER TIME"), (42, "ID STATE CALLER PROVIDER"), (35, "ID STATE CALLER"),
        (22, "ID STATE CALLER"),
    ])
    func columnsLeaveBeforeTheMainOneIsCut(width: Int, titles: String) {
        let table = Table(
            columns: [
                "ID", "STATE", .fixed("DIRECTION").leaves(1), .main("CALLER"), .flexible("PROVIDER").leaves(3),
                .right("TIME").leaves(2),
            ], rows: [["1", "active", "incoming", "Alice +46701740605", "MonkeyCall", "0:05"]])
        let lines = table.text(on: Terminal(width: width, showsColors: false)).split(separator: "\n").map(String.init)
        #expect(lines[0].split(separator: " ").joined(separator: " ") == titles)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
        #expect(width < 30 || lines[1].contains("Alice +46701740605"))
    }

    /// A long name has its share of the table, and does not take the other columns' place.
    @Test(
        arguments: [
            (120, "ID STATE DIRECTION CALLER PROVIDER TIME"), (80, "ID STATE DIRECTION CALLER PROVIDER TIME"),
            (40, "ID STATE CALLER"),
        ], ["Ann the long-named ", "山田太郎 ", "👩‍👩‍👧‍👦🇸🇪 ", "n̈a̋me "])
    func aLongNameLeavesTheOtherColumns(width: (Int, String), name: String) {
        let name = String(repeating: name, count: 40)
        let table = Table(
            columns: [
                "ID", .fixed("STATE").shortens(2), .fixed("DIRECTION").leaves(1), .main("CALLER"),
                .flexible("PROVIDER").leaves(5), .right("TIME").leaves(3),
            ], rows: [["1a2b3c4d", "active", "incoming", Cell(name), Cell(String(repeating: "P", count: 64)), "0:05"]])
        let lines = table.text(on: Terminal(width: width.0, showsColors: false)).split(separator: "\n").map(String.init)
        #expect(lines[0].split(separator: " ").joined(separator: " ").hasPrefix(width.1))
        #expect(lines.allSatisfy { $0.displayWidth <= width.0 }, "\(lines)")
        #expect(lines[1].hasPrefix("1a2b3c4d  active"))
    }

    @Test(arguments: [
        (80, "12345678 held by arbiter for 5a11922e incoming +46 70 174 06 05 0:05"),
        (64, "12345678 held by arbiter for 5a11922e +46 70 174 06 05 0:05"),
        (40, "12345678 held +46 70 174 06 05 0:05"), (34, "12345678 held +46 70 174 06 05"),
    ])
    func longTextsGiveWayToBriefOnes(width: Int, row: String) {
        let table = Table(
            columns: [
                "ID", .fixed("STATE").shortens(2), .fixed("DIRECTION").leaves(1), .main("CALLER"),
                .right("TIME").leaves(3),
            ],
            rows: [
                [
                    "12345678", Cell("held by arbiter for 5a11922e", brief: "held"), "incoming", "+46 70 174 06 05",
                    "0:05",
                ]
            ])
        let lines = table.text(on: Terminal(width: width, showsColors: false)).split(separator: "\n").map(String.init)
        #expect(lines[1].split(separator: " ").joined(separator: " ") == row)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
    }

    @Test(arguments: [1, 10, 20, 80])
    func nothingBreaksHoweverNarrow(width: Int) {
        let table = Table(columns: columns, rows: [["12345678", "漢字漢字漢字漢字", "x", "0:05"]])
        #expect(table.text(on: Terminal(width: width, showsColors: false)).contains("12345678"))
    }

    @Test func wideNamesKeepTheColumnsAligned() {
        let table = Table(columns: columns, rows: [["1", "山田太郎", "", "0:05"], ["2", "Zoë", "", "0:06"]])
        let lines = table.text(on: .plain).split(separator: "\n").map(String.init)
        #expect(Set(lines.map(\.displayWidth)) == [18])
    }

    @Test func colorsOnlyWhereTheyAreShown() {
        let table = Table(columns: [Table.Column(title: "A")], rows: [[Cell("x", .green)]])
        #expect(table.text(on: .plain) == "A\nx")
        #expect(
            table.text(on: Terminal(width: nil, showsColors: true)) == "\u{1B}[2mA\u{1B}[0m\n\u{1B}[32mx\u{1B}[0m")
    }

    @Test func controlCharactersNeverGetThrough() {
        let table = Table(columns: [Table.Column(title: "A")], rows: [["\u{1B}[2Jx\u{202E}y\n"]])
        #expect(table.text(on: .plain) == "A\n\u{FFFD}[2Jx\u{FFFD}y\u{FFFD}")
    }

    @Test(arguments: [
        ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("ｶﾅ", 2), ("한글", 4), ("कि", 2), ("👍🏽", 4),
        ("", 0),
    ])
    func displayWidth(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(arguments: [
        ("one two three", 13, "one two three"), ("one two three", 12, "one two\n    three"),
        ("one two three", 7, "one two\n  three"), ("one-word", 4, "on\n  e-\n  wo\n  rd"), ("", 4, ""),
        ("漢字 漢字 漢字", 9, "漢字 漢字\n    漢字"),
    ])
    func longLinesAreContinued(text: String, width: Int, expected: String) {
        #expect(text.wrapped(to: width) == expected)
        #expect(text.wrapped(to: nil) == text)
    }

    @Test(arguments: [
        ("a: one two", 6, "a: one\n   two"), ("a: b\n  one  two", 10, "a: b\n  one  two"),
        ("a: b\n  one  two", 9, "a: b\n  one\n    two"), ("12:00  one two three", 14, "12:00  one two\n       three"),
        ("a: b\n  one two three", 9, "a: b\n  one two\n    three"), ("a\n\nb", 4, "a\n\nb"),
    ])
    func theLinesOfAMessageAreBrokenOneByOne(text: String, width: Int, expected: String) {
        #expect(text.fitted(to: width) == expected)
        #expect(text.fitted(to: nil) == text)
    }

    @Test func wholeFactsAreNeverShortened() {
        let facts: [(String, Cell)] = [
            ("id", "1"), ("none", ""), ("text", "one two three"), ("path", "/org/opencallkit"),
            ("x", "/org/opencallkit/x"),
        ]
        #expect(
            Table.facts(facts, on: Terminal(width: 18, showsColors: false)) == """
                id    1
                text  one two
                      three
                path
                  /org/opencallkit
                x
                  /org/opencallkit
                  /x
                """)
        #expect(Table.facts(facts, on: .plain).split(separator: "\n").last == "x     /org/opencallkit/x")
    }

    @Test(arguments: [("abcdef", 6, "abcdef"), ("abcdef", 4, "abc…"), ("漢字漢字", 4, "漢…"), ("ab", 1, "…"), ("ab", 0, "")])
    func truncation(text: String, width: Int, expected: String) {
        #expect(text.truncated(to: width) == expected)
    }
}
