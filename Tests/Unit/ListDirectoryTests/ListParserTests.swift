// Valid and invalid lists.

import Testing

@testable import ListDirectory

@Suite struct ListParserTests {
    private func read(_ format: ListFormat, _ text: String) throws -> [ListEntry] {
        var entries: [ListEntry] = []
        var parser = ListParser(format) { entries.append($0) }
        try parser.parse(text.utf8)
        try parser.finish()
        return entries
    }

    private func complaint(_ format: ListFormat, _ text: String) -> String? {
        do {
            _ = try read(format, text)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func textLists() throws {
        let text = "\u{FEFF}# spam\n\n+46 70-123 45 67\r\n1234 # short\n  (408) 555.1234/5 \n00467012\n9"
        #expect(
            try read(.text, text).map(\.number) == [46_701_234_567, 1234, 40_855_512_345, 467_012, 9])
        #expect(try read(.text, "").isEmpty && read(.text, "\n \n\t\r\n").isEmpty)
    }

    @Test(arguments: [",", ";", "\t"]) func recordLists(delimiter: String) throws {
        let text = "Number,Label\r\n+1 1111,RW Tutorial Team\n2222\n3333,\n4444,\"a \"\"b\"\" , c\"\n# no\n5555,ö,,\n"
        let entries = try read(.csv, text.replacing(",", with: delimiter))
        #expect(
            entries == [
                ListEntry(number: 11_111, label: "RW Tutorial Team"), ListEntry(number: 2222, label: nil),
                ListEntry(number: 3333, label: nil),
                ListEntry(number: 4444, label: "a \"b\" \(delimiter == "\t" ? "" : delimiter) c"),
                ListEntry(number: 5555, label: "ö"),
            ])
    }

    @Test(
        arguments: [
            (.text, "1\nabc\n", "2: invalid number 'abc', expected digits as in +46701234567"),
            (.text, "0701234567", "1: '0701234567' has no country's code, expected one as in +46701234567"),
            (.text, "+0701", "1: '+0701' has no country's code, expected one as in +46701234567"),
            (.text, "1\n2\n+\n", "3: invalid number '+', expected digits as in +46701234567"),
            (.text, "123456789012345678901", "1: '123456789012345678901' is too long for a number"),
            (.text, "-1 2-3+4", "1: invalid number '-1 2-3+4', expected digits as in +46701234567"),
            (.text, "\u{1B}[2J\u{202E}", "1: invalid number '[2J', expected digits as in +46701234567"),
            (.csv, "number,label\n1,\"a\n\n2,b\n", "2: a quoted field does not end"),
            (.csv, "1,\"a\"b", "1: a quote within a field, expected it around the field or doubled"),
            (.csv, "1,a\"b\"", "1: a quote within a field, expected it around the field or doubled"),
            (.csv, "1,\"a\n#b\n\"\r\nx,\"c\nd\"\ny", "4: invalid number 'x', expected digits as in +46701234567"),
            (.csv, "1,\"a\n\nb\"\"\n\"\nx", "5: invalid number 'x', expected digits as in +46701234567"),
            (.csv, "1,a\r2,b", "1: 3 fields, expected a number and a label"),
            (.csv, "1,a,b", "1: 3 fields, expected a number and a label"),
            (.csv, "1,a\nx,b", "2: invalid number 'x', expected digits as in +46701234567"),
        ] as [(ListFormat, String, String)]) func complaintsNameTheLine(
            format: ListFormat, text: String, expected: String
        )
    {
        #expect(complaint(format, text) == expected)
    }

    @Test func longLinesAndLabels() {
        #expect(complaint(.text, "1\n" + String(repeating: " ", count: 5_000)) == "2: a line of more than 4096 bytes")
        #expect(
            complaint(.csv, "1," + String(repeating: "x", count: 1_025))
                == "1: a label of 1025 bytes, expected at most 1024")
    }

    @Test func quotedLabelsMayHaveLineBreaks() throws {
        let entries = try read(
            .csv, "\"number\n\", label\n1, \"RW\r\nTutorial\n\nTeam\" \r\n\"2\",\"\"\n# \"\n3,\" #\n\"")
        #expect(
            entries == [
                ListEntry(number: 1, label: "RW Tutorial  Team"), ListEntry(number: 2, label: nil),
                ListEntry(number: 3, label: "#"),
            ])
    }

    /// The parser never keeps more than one record.
    @Test func aQuoteThatIsNeverClosedIsNotWaitedFor() {
        let lines = String(repeating: "3,c\n", count: 100_000)
        #expect(complaint(.csv, "1,a\n2,\"b\n\(lines)") == "2: a quoted field does not end within 4096 bytes")
        #expect(
            complaint(.csv, "1,\"" + String(repeating: "x", count: 1 << 20)) == "1: a line of more than 4096 bytes")
        #expect(
            complaint(.csv, "1" + String(repeating: ",", count: 4_000) + "x")
                == "1: 4001 fields, expected a number and a label")
    }

    @Test func labelsAreAsTheyWillBeShown() throws {
        let entries = try read(.csv, "1,\u{202E} a\u{1B}b \n2,\u{200F}\n3,👩‍👩‍👧\n4,\(String(repeating: "y", count: 300))")
        #expect(entries.map(\.label) == ["ab", nil, "👩‍👩‍👧", String(repeating: "y", count: 256)])
    }

    @Test func anyCutIsTheSame() throws {
        let bytes = Array("number;label\r\n1;\"a;\"\"b\"\r\n2;ö\n3".utf8)
        var whole: [ListEntry] = []
        var parser = ListParser(.csv) { whole.append($0) }
        try parser.parse(bytes)
        try parser.finish()
        #expect(whole.count == 3)
        for cut in bytes.indices {
            var entries: [ListEntry] = []
            var parser = ListParser(.csv) { entries.append($0) }
            try parser.parse(bytes[..<cut])
            try parser.parse(bytes[cut...])
            try parser.finish()
            #expect(entries == whole)
        }
    }
}
