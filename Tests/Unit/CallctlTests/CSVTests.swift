// CSV: readers get the written values back, and no spreadsheet takes one for a formula.

import DBus
import Testing

@testable import callctl

@Suite struct CSVTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("two words", "two words"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
        ("\"", "\"\"\"\""), ("a\nb", "\"a\nb\""), ("a\r\nb", "\"a\r\nb\""), ("a\rb", "\"a\rb\""), (" a", "\" a\""),
        ("a ", "\"a \""), ("e\u{301},", "\"e\u{301},\""), ("漢字", "漢字"), ("a;b", "a;b"),
    ])
    func quoting(value: String, field: String) {
        #expect(CSV.field(value) == field)
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+1-2", "'+1-2"), ("-a", "'-a"), ("+", "'+"), ("-", "'-"),
        ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
        ("＝1", "'＝1"), ("+46701740605", "+46701740605"), ("-5", "-5"), ("+46 70", "'+46 70"), ("+４６", "'+４６"),
    ])
    func formulas(value: String, field: String) {
        #expect(CSV.field(value) == field)
    }

    @Test func linesEndAsTheStandardSays() {
        #expect(CSV.line(["a", "", "c,d"]) == "a,,\"c,d\"\r\n")
    }

    @Test func aRowOfHostileText() {
        var export = RecentsExport(.csv)
        let call = RecentCall(properties: [
            "id": .int64(7), "handle": Variant(Struct("generic", "a\"b,c\nd")), "name": .string("=cmd|'/C calc'!A0"),
            "duration-ms": .uint64(1_500), "missed": .bool(true), "provider-id": .string("Hotline"),
        ])
        #expect(
            export.text(of: [call])
                == "7,,,,1500,,true,generic,\"a\"\"b,c\nd\",'=cmd|'/C calc'!A0,,Hotline,false,,,,,,,false,false,,,\r\n")
        #expect(export.count == 1)
    }

    @Test func jsonIsOneArrayHoweverManyPages() {
        var export = RecentsExport(.json)
        let call = RecentCall(properties: ["id": .int64(7), "name": .string("a\"\n")])
        let text = export.head + export.text(of: [call]) + export.text(of: [call]) + export.foot
        #expect(text == "[\n{\"id\":7,\"name\":\"a\\\"\\n\"},\n{\"id\":7,\"name\":\"a\\\"\\n\"}\n]\n")
        let empty = RecentsExport(.json)
        #expect(empty.head + empty.foot == "[]\n")
    }
}
