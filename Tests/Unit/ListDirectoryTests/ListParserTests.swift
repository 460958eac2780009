// Valid and invalid lists.

import Testing

@testable import ListDirectory

@Suite struct ListParserTests {
    private struct Reading {
        var entries: [ListEntry] = []
        var complaints: [ListComplaint] = []
        var numbers: [Int64?] { entries.map(\.numbers.single) }
        var ranges: [ClosedRange<Int64>] { entries.flatMap(\.numbers.ranges) }
        /// What the entries say, such as `1111 Team`.
        var texts: [String] {
            entries.map { entry in
                let ranges = entry.numbers.ranges
                let number = entry.numbers.single.map { "\($0)" } ?? "\(ranges[0])…\(ranges.count)"
                return number + (entry.label.map { " \($0)" } ?? "")
            }
        }
    }

    private func read(_ format: ListFormat, _ bytes: some Sequence<UInt8>, countryCode: String? = nil) throws -> Reading
    {
        var reading = Reading()
        var parser = ListParser(format, countryCode: countryCode) {
            reading.complaints.append($0)
        } _: {
            reading.entries.append($0)
        }
        let bytes = Array(bytes)
        var decoder = ListDecoder(bytes)
        try parser.parse(decoder.decode(bytes))
        try parser.finish()
        return reading
    }

    private func read(_ format: ListFormat, _ text: String, countryCode: String? = nil) throws -> Reading {
        try read(format, text.utf8, countryCode: countryCode)
    }

    private func entry(_ number: Int64, _ label: String? = nil) throws -> ListEntry {
        ListEntry(numbers: try ListNumbers("\(number)"), label: label)
    }

    private func complaints(_ format: ListFormat, _ text: String) throws -> [String] {
        try read(format, text).complaints.map(\.description)
    }

    @Test func textLists() throws {
        let text = "\u{FEFF}# spam\n\n+46 70-123 45 67\r\n1234 # short\n  (408) 555.1234/\n00467012\n9"
        #expect(try read(.text, text).numbers == [46_701_234_567, 1234, 4_085_551_234, 467_012, 9])
        #expect(try read(.text, "").entries.isEmpty && read(.text, "\n \n\t\r\n# x\n; y\n // z\n").complaints.isEmpty)
    }

    @Test func theZeroThatIsDialedWithinACountry() throws {
        let text = "+44(0)1632 960003\n0044(0)1632960005\n+44[0]1632960006\n+44 (0) 1632 9600*\n+39 (0)6 1234567\n"
        let reading = try read(.text, text)
        #expect(reading.numbers == [441_632_960_003, 441_632_960_005, 441_632_960_006, nil, 39_061_234_567])
        #expect(reading.ranges.contains(4_416_329_600_000...4_416_329_600_999))
    }

    @Test(arguments: ["msisdn,who", "phone,", "phone,owner,score", "Tel.;Wer", "电话,姓名"])
    func aColumnOfTextIsTheLabelWhateverItsHeading(heading: String) throws {
        let sign = heading.contains(";") ? ";" : ","
        let text = heading + "\n+441632960012\(sign)Ms\(sign)3\n"
        #expect(try read(.csv, text).texts == ["441632960012 Ms"])
        #expect(try read(.csv, "number\(sign)count\n+441632960012\(sign)3\n").texts == ["441632960012"])
    }

    @Test(arguments: [",", ";", "\t", "|"]) func recordLists(delimiter: String) throws {
        let text = "Number,Label\r\n+1 1111,RW Tutorial Team\n2222\n3333,\n4444,\"a \"\"b\"\" , c\"\n# no\n5555,ö,,\n"
        let reading = try read(.csv, text.replacing(",", with: delimiter))
        #expect(
            try reading.entries == [
                entry(11_111, "RW Tutorial Team"), entry(2222), entry(3333),
                entry(4444, "a \"b\" \(delimiter == "\t" ? "" : delimiter) c"), entry(5555, "ö"),
            ])
        #expect(reading.complaints.isEmpty)
    }

    /// A line that is no number costs that line, and is told without its words (haumacher/phoneblock PR #28, #482).
    @Test(
        arguments: [
            (.text, "1\nabc\n2\n", ["1", "2"], ["2: no number, expected digits as in +46701234567"]),
            (
                .text, "0701234567\n5", ["5"],
                ["1: a number without a country code, expected one as in +46701234567"]
            ),
            (.text, "+0701", [], ["1: a number without a country code, expected one as in +46701234567"]),
            (.text, "+\n*\n?\n+…", [], (1...4).map { "\($0): no number, expected digits as in +46701234567" }),
            (.text, "123456789012345678901", [], ["1: too long for a number, expected digits as in +46701234567"]),
            (.text, "-1 2-3+4", [], ["1: no number, expected digits as in +46701234567"]),
            (.text, "\u{1B}[2J\u{202E}", [], ["1: no number, expected digits as in +46701234567"]),
            (
                .text, "+4670??*", [],
                ["1: signs for any digits beside signs for one digit, expected * or ? at the end"]
            ),
            (
                .text, "+46701234567??????", [],
                ["1: too many digits for a range, expected digits as in +46701234567"]
            ),
            (.csv, "number,label\n1,\"a\n\n2,b\n", ["2 b"], ["2: a quoted field does not end"]),
            (.csv, "1,\"a\"b\n2,c", ["2 c"], ["1: a quote within a field, expected it around the field or doubled"]),
            (.csv, "1,a\"b\"", [], ["1: a quote within a field, expected it around the field or doubled"]),
            (
                .csv, "1,\"a\n#b\n\"\r\nx,\"c\nd\"\ny", ["1 a #b"],
                [
                    "4: no number, expected digits as in +46701234567",
                    "6: no number, expected digits as in +46701234567",
                ]
            ),
            (.csv, "1,a\nZacharias,b\n2", ["1 a", "2"], ["2: no number, expected digits as in +46701234567"]),
            (.csv, "x,b", [], ["1: no number, expected digits as in +46701234567"]),
            (.csv, "number,label\n,b\n3", ["3"], ["2: no number, expected digits as in +46701234567"]),
        ] as [(ListFormat, String, [String], [String])]) func anInvalidLineCostsThatLine(
            format: ListFormat, text: String, entries: [String], complaints: [String]
        ) throws
    {
        let reading = try read(format, text)
        #expect(reading.texts == entries)
        #expect(reading.complaints.map(\.description) == complaints)
    }

    /// A sign at the end blocks all numbers that begin so (adamff-dev/spam-call-blocker-app #21).
    @Test(arguments: [
        ("+44163296002*", "44163296002...44163296002…5"), ("+1555010????", "15550100000...15550109999…1"),
        ("00441632960003", "441632960003"), ("+44 1632…", "441632...441632…10"), ("441632...", "441632...441632…10"),
        ("+4121560####", "41215600000...41215609999…1"), ("+34822**", "34822...34822…11"), ("12*", "12...12…14"),
        ("+46 70 1?", "46701" + "0...467019…1"), ("'+46701*'", "46701...46701…11"),
    ]) func patterns(text: String, expected: String) throws {
        for format in [ListFormat.text, .csv] {
            let reading = try read(format, text)
            #expect(reading.texts == [expected])
            #expect(reading.complaints.isEmpty)
        }
        let numbers = try ListNumbers("+44163296002*").ranges
        #expect(numbers == numbers.sorted { $0.lowerBound < $1.lowerBound })
        #expect(numbers.last == 441_632_960_020_000...441_632_960_029_999)
    }

    /// Numbers as they are copied and exported (verbb/hyper #86, signalapp/Signal-Android #11630, glific/glific #4815).
    @Test(arguments: [
        "\u{202D}+44 1632\u{A0}960001\u{202C}", "\u{2068}+44\u{2009}1632 960001\u{2069}", "+441632\u{AD}960001",
        "\u{FEFF}+44\u{200B}1632960001", "'+441632960001", "’+441632960001", "tel:+44-1632-960001",
        "TEL:+441632960001", "\"00441632960001\"", "＋４４１６３２９６０００１", "+44 (1632) 960.001", "+44–1632–960001",
    ]) func everyWritingIsOneNumber(text: String) throws {
        #expect(try read(.text, text).numbers == [441_632_960_001])
        #expect(try read(.csv, "number\n\(text)").numbers == [441_632_960_001])
    }

    @Test func whatSpreadsheetsPutAround() throws {
        #expect(try read(.text, "=\"+441632960001\"").numbers == [441_632_960_001])
        #expect(try read(.csv, "\"=\"\"+441632960001\"\"\",x").texts == ["441632960001 x"])
        let formulas = try read(.csv, "number;label\n=\"00441632960001\";=\"x\"\n1;a=\n")
        #expect(formulas.texts == ["441632960001 x", "1 a="] && formulas.complaints.isEmpty)
    }

    /// A spreadsheet takes a number for a quantity, and adds a fraction or an exponent: it is the number, or the line is left
    /// out, and never is another number blocked.
    @Test(arguments: [
        "441632960010.0", "441632960010.00", "441632960010,0", "+441632960010.0", "441632960010.000",
        "00441632960010.0",
        "4.41632960010E+11", "4,41632960010e11", "441632960010E0", "4.4163296001000E+11", "441,632,960,010",
        "441.632.960.010",
    ]) func quantities(text: String) throws {
        #expect(try read(.text, text).numbers == [441_632_960_010])
        #expect(try read(.csv, "number;name\n\(text);x").numbers == [441_632_960_010])
        #expect(try read(.csv, "\"\(text)\";2026;x").numbers.allSatisfy { $0 == 441_632_960_010 })
    }

    /// A program that writes a table without quotes does not mark the commas of its numbers.
    @Test func quantitiesWithoutQuotes() throws {
        let two = "441,632,960,010,Spam\n441632960011,Other\n"
        for text in [two, "number,name\n" + two, "441632960011,Other\n441,632,960,010,Spam"] {
            #expect(Set(try read(.csv, text).texts) == ["441632960010 Spam", "441632960011 Other"], "\(text)")
        }
        #expect(try read(.csv, "name,number,date\nSpam,441,632,960,010,2026").texts == ["441632960010 Spam"])
        #expect(try read(.csv, "number,a,b\n441,632,960,Spam").texts.isEmpty)
        #expect(try read(.csv, "number,name\n46,701,740,60,Spam\n1,x").texts == ["1 x"])
    }

    @Test(arguments: ["4.41633E+11", "4,41633E+11", "4.4163296001055E+11", "4416329.000", "441,632,960,01", "4E+11"])
    func quantitiesWithoutAllDigits(text: String) throws {
        #expect(try read(.text, text).entries.isEmpty && complaints(.text, text).count == 1)
        guard !text.hasPrefix("441,") else { return }
        #expect(try read(.csv, "\(text);5;Spam\n1;2;x").texts == ["1 x"])
    }

    /// A dash stands between the ends of a range, or between groups of digits.
    @Test(arguments: [
        ("44163296070-79", "44163296070...44163296079"), ("+44 1632 96070-79", "44163296070...44163296079"),
        ("+441632960070–9", "441632960070...441632960079"), ("44163296070..79", "44163296070...44163296079"),
        ("44163296070 - 79", "44163296070...44163296079"), ("44163296070~79", "44163296070...44163296079"),
        ("+44163296070-+44163296079", "44163296070...44163296079"),
        ("44163296070-44163296079", "44163296070...44163296079"),
        ("0044163296070-0044163296079", "44163296070...44163296079"),
        ("+46 70-123 45 67", "46701234567...46701234567"), ("+1-408-555-9999", "14085559999...14085559999"),
        ("+1 408 555-9999", "14085559999...14085559999"), ("+7 495 123-45-67", "74951234567...74951234567"),
        ("+49 30 1234567-89", "4930123456789...4930123456789"), ("0049171/1234567", "491711234567...491711234567"),
        ("+55 11 91234-5678", "5511912345678...5511912345678"), ("+49 30 123456-0", "49301234560...49301234560"),
    ]) func rangesAndGroups(text: String, expected: String) throws {
        for format in [ListFormat.text, .csv] {
            let reading = try read(format, text)
            #expect(reading.ranges.map { "\($0.lowerBound)...\($0.upperBound)" } == [expected])
            #expect(reading.complaints.isEmpty)
        }
    }

    @Test(arguments: [
        "44163296070/71", "(408) 555.1234/5", "4930123456070-79", "44163296079-44163296070", "+44163296070-+4416329607",
    ]) func whatMayBeTwoNumbersIsLeftOut(text: String) throws {
        #expect(try read(.text, text).entries.isEmpty && complaints(.text, text).count == 1)
        #expect(try read(.csv, "\(text),5,x").entries.isEmpty)
    }

    @Test func longLinesAndLabels() throws {
        let blanks = String(repeating: " ", count: 5_000)
        #expect(try complaints(.csv, "1\n\(blanks)\n2") == ["2: a line of more than 4096 bytes"])
        #expect(try read(.csv, "1\n\(blanks)\n2").numbers == [1, 2])
        #expect(
            try complaints(.csv, "1," + String(repeating: "x", count: 1_025))
                == ["1: a label of 1025 bytes, expected at most 1024"])
        #expect(try complaints(.text, String(repeating: "x", count: 2 << 20)).count == 1)
    }

    @Test func quotedLabelsMayHaveLineBreaks() throws {
        let reading = try read(
            .csv, "\"number\n\", label\n1, \"RW\r\nTutorial\n\nTeam\" \r\n\"2\",\"\"\n# \"\n3,\" #\n\"")
        #expect(try reading.entries == [entry(1, "RW Tutorial  Team"), entry(2), entry(3, "#")])
    }

    /// The parser never keeps more than one record, and the lines after it are not lost.
    @Test func aQuoteThatIsNeverClosedIsNotWaitedFor() throws {
        let lines = String(repeating: "3,c\n", count: 100_000)
        let reading = try read(.csv, "1,a\n2,\"b\n\(lines)")
        #expect(reading.complaints.map(\.description) == ["2: a quoted field does not end within 4096 bytes"])
        #expect(reading.entries.count == 100_001)
        #expect(
            try complaints(.csv, "1,\"" + String(repeating: "x", count: 1 << 20)) == [
                "1: a line of more than 4096 bytes"
            ])
        #expect(try read(.csv, "1" + String(repeating: ",", count: 4_000) + "x").numbers == [1])
        _ = try read(.csv, String(repeating: "\"\n", count: 10_001) + String(repeating: "\"\"\"\n", count: 10_001))
    }

    @Test func labelsAreAsTheyWillBeShown() throws {
        let entries = try read(.csv, "1,\u{202E} a\u{1B}b \n2,\u{200F}\n3,👩‍👩‍👧\n4,\(String(repeating: "y", count: 300))")
        #expect(entries.entries.map(\.label) == ["ab", nil, "👩‍👩‍👧", String(repeating: "y", count: 256)])
    }

    /// Numbers without a country code get the one in the name of the file.
    @Test func nationalNumbers() throws {
        #expect(
            try read(.text, "06920436149\n0043800291573\n+4315\n49301\n0900*", countryCode: "49").texts == [
                "496920436149", "43800291573", "4315", "49301", "49900...49900…11",
            ])
        #expect(
            try read(.text, "2025550101\n12025550102", countryCode: "1").numbers == [12_025_550_101, 12_025_550_102])
        #expect(
            try read(.text, "0669812345\n3471234567", countryCode: "39").numbers == [390_669_812_345, 393_471_234_567])
        for (name, code) in [
            ("a.+49.csv", "49"), ("a.csv", nil), ("+1.txt", "1"), ("a+49.txt", nil), ("a.+0.txt", nil),
            ("a.+12345.txt", nil),
        ] {
            #expect(ListFile(name, in: "/l")?.countryCode == code, "\(name)")
        }
    }

    @Test func filesThatAreLists() {
        for name in ["a.txt", "A.TXT", "b.csv", "b.tsv", "c.json", "d.xml", "e.vcf"] {
            #expect(ListFile(name, in: "/l")?.path == "/l/\(name)")
        }
        for name in ["a", "a.md", ".a.txt", "txt", "a.txt~", "a.pdf"] {
            #expect(ListFile(name, in: "/l") == nil, "\(name)")
        }
        for (name, blocks) in [
            ("Blacklist.csv", true), ("my-blocked.csv", true), ("spam.csv", true), ("names.csv", false),
        ] {
            #expect(ListFile(name, in: "/l")?.blocksAll == blocks)
        }
    }

    @Test(arguments: ["utf-8", "utf-16-le", "utf-16-be", "utf-16-le-bare", "utf-16-be-bare", "latin-1", "cr"])
    func encodings(name: String) throws {
        let text = "number;label\r\n+46701;Åsa\r\n46702;b\r\n"
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let bytes: [UInt8] =
            switch name {
            case "utf-16-le": [0xFF, 0xFE] + little
            case "utf-16-be": [0xFE, 0xFF] + big
            case "utf-16-le-bare": little
            case "utf-16-be-bare": big
            case "latin-1": text.unicodeScalars.map { UInt8($0.value) }
            case "cr": Array(text.replacing("\r\n", with: "\r").utf8)
            default: [0xEF, 0xBB, 0xBF] + text.utf8
            }
        let reading = try read(.csv, bytes)
        #expect(reading.texts == ["46701 Åsa", "46702 b"] && reading.complaints.isEmpty)
        #expect(try read(.text, [0x31, 0xA0, 0x32, 0x96, 0x33]).numbers == [123])
    }

    @Test func anyCutIsTheSame() throws {
        let wide = Array("1\n2\n🙂\n3".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for bytes in [Array("number;label\r\n1;\"a;\"\"b\"\r\n2;ö\n3".utf8), [0xFF, 0xFE] + wide] {
            let whole = try read(.csv, bytes)
            #expect(whole.entries.count == 3)
            for cut in bytes.indices {
                var reading = Reading()
                var parser = ListParser(.csv) {
                    reading.complaints.append($0)
                } _: {
                    reading.entries.append($0)
                }
                var decoder = ListDecoder(bytes)
                try parser.parse(decoder.decode(bytes[..<cut]))
                try parser.parse(decoder.decode(bytes[cut...]))
                try parser.finish()
                #expect(reading.entries == whole.entries && reading.complaints == whole.complaints)
            }
        }
    }
}
