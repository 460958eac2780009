// The text of recents, and how to refer to one.

import ArgumentParser
import CallModel
import DBus
import EventLoop
import Testing

@testable import callctl

@Suite struct RecentTests {
    private func call(_ id: Int64, _ more: VariantDictionary) -> RecentCall {
        let basis: VariantDictionary = [
            "id": .int64(id), "direction": "incoming", "handle": Variant(Struct("phone-number", "555")),
            "name": "Alice",
            "provider-id": "Hotline", "started": .uint64(1_000_000), "ended": .uint64(2_000_000), "read": .bool(false),
        ]
        return RecentCall(properties: basis.merging(more) { _, new in new })
    }

    @Test func whatBecameOfACall() {
        let missed = call(1, ["missed": .bool(true), "reason": "unanswered"])
        #expect((missed.kind, missed.outcome, missed.notes) == ("missed", "unanswered", ["new"]))
        let filtered = call(2, ["filtered": "blocked", "reason": "filtered"])
        #expect((filtered.kind, filtered.outcome) == ("filtered", "blocked"))
        let listed = call(2, ["filtered": "blocked", "filtered-by": "SpamList"])
        #expect(listed.outcome == "blocked by SpamList")
        let talked = call(3, ["connected": .uint64(1), "duration-ms": .uint64(192_000), "video": .bool(true)])
        #expect((talked.kind, talked.outcome, talked.notes) == ("incoming", "3 min 12 s", ["video"]))
        let open = call(4, ["open": .bool(true), "direction": "outgoing"])
        #expect((open.kind, open.outcome) == ("outgoing", "in progress"))
        let read = call(5, ["missed": .bool(true), "read": .bool(true)])
        #expect(!read.isNew && read.notes.isEmpty)
    }

    @Test func recentsFitTheTerminal() {
        let rows = [
            call(123_456, ["name": .string(String(repeating: "long ", count: 40)), "missed": .bool(true)]),
            call(7, ["handle": Variant(Struct("", "")), "name": ""]),
        ]
        let terminal = Terminal(width: 80, showsColors: false)
        let lines = RecentCall.table(of: rows, at: .now, on: terminal).split(separator: "\n").map(String.init)
        #expect(lines.map(\.displayWidth).max() == 80)
        #expect(lines[1].hasPrefix("123456  ") && lines[1].contains("  long long") && lines[1].contains("…"))
        #expect(lines[2].hasPrefix("     7  ") && lines[2].contains("  withheld"))
        #expect(RecentCall.table(of: [], at: .now, on: terminal) == "no recents")
    }

    @Test func nonsenseIsReadAsEmpty() {
        let row = RecentCall(properties: [
            "id": .int64(-4), "handle": "x", "started": "now", "duration-ms": .bool(true),
        ])
        #expect(row.id == 0 && row.party == "withheld")
        #expect(RecentCall.table(of: [row], at: .now, on: .plain).contains("withheld"))
    }

    @Test func rowsAreNamedByNumber() {
        #expect(RecentID(argument: "12")?.number == 12 && RecentID(argument: "#12")?.number == 12)
        for text in ["", "#", "0", "-1", "x", "9223372036854775808"] {
            #expect(RecentID(argument: text) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            ([], .csv), (["--json"], .json), (["--output", "a.JSON"], .json), (["--output", "a.csv"], .csv),
            (["--output", "a.json", "--format", "csv"], .csv),
        ] as [([String], RecentsExportCommand.Format)])
    func formatOfAnExport(arguments: [String], format: RecentsExportCommand.Format) throws {
        let command = try #require(try Callctl.parseAsRoot(["recents", "export"] + arguments) as? RecentsExportCommand)
        #expect(command.chosenFormat == format)
    }
}
