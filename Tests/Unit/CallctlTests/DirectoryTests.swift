// The text of the commands about directories.

import CallModel
import DBus
import EventLoop
import Testing

@testable import callctl

@Suite struct DirectoryTests {
    private func spam(_ more: VariantDictionary = [:], id: String = "Spam") -> ExtensionReport {
        let basis: VariantDictionary = [
            "status": "enabled", "loading": .bool(false), "blocked": .uint64(10_000_000),
            "identified": .uint64(2), "labels": .uint64(1), "size": .uint64(22_000_000),
            "loaded-at": .uint64(1_000_000), "duration-ms": .uint64(2_345), "incremental": .bool(false), "error": "",
            "message": "",
        ]
        return ExtensionReport(id: id, basis.merging(more) { _, new in new })
    }

    @Test func extensionsInATable() {
        let failed = spam(
            [
                "error": "EntriesOutOfOrder", "message": "entry 7: 5 comes after 6", "status": "disabled",
                "loaded-at": .uint64(0),
            ], id: "Tutorial")
        let lines = ExtensionReport.table(of: [spam(), failed], at: .now, on: .plain).split(separator: "\n")
        #expect(lines[0].hasPrefix("ID        STATE        BLOCKED  IDENTIFIED  LOADED"))
        #expect(lines[1].hasPrefix("Spam      enabled   10,000,000           2  1970-01-01 "))
        #expect(lines[2].hasPrefix("Tutorial  disabled  "))
        #expect(lines[2].hasSuffix("  EntriesOutOfOrder: entry 7: 5 comes after 6"))
        #expect(ExtensionReport.table(of: [], at: .now, on: .plain) == "no extensions")
    }

    @Test func aReport() {
        let text = spam().report(at: .now, on: .plain)
        let expected = [
            "id          Spam", "blocked     10,000,000", "size        22,000,000 bytes", "took        2.345 s",
            "mode        full",
        ]
        for line in expected { #expect(text.contains("\(line)\n") || text.hasSuffix(line), "\(line)") }
        #expect(!text.contains("error") && !text.contains("so far") && !text.contains("damage"))
        let loading = spam(["loading": .bool(true), "loading-blocked": .uint64(1_234)])
        #expect(
            loading.state == "loading" && loading.report(at: .now, on: .plain).contains("so far      1,234 entries"))
    }

    @Test func aFailedLoadIsARefusal() {
        #expect(spam().failure == nil)
        let failed = spam(["error": "LoadingInterrupted", "message": "the extension died"])
        #expect(failed.failure == Failure(.refused, "LoadingInterrupted: the extension died"))
    }

    @Test(arguments: [(0, "0.000 s"), (45, "0.045 s"), (9_999, "9.999 s"), (10_000, "10 s")] as [(UInt64, String)])
    func shortSpansArePrecise(milliseconds: UInt64, text: String) {
        #expect(Span.precise(milliseconds: milliseconds) == text)
    }

    @Test func whatWasLeftOutIsTold() {
        let report = ExtensionReport(
            id: "Lists",
            [
                "status": "enabled", "left-out": .uint64(2),
                "complaints": Variant(["a.txt:1: no number", "b.csv:\u{1B}7"]),
            ])
        let text = report.report(at: WallTime(microseconds: 0), on: .plain)
        #expect(text.contains("left out    2 entries") && text.contains("\na.txt:1: no number\nb.csv:\u{FFFD}7"))
        let table = ExtensionReport.table(of: [report], at: WallTime(microseconds: 0), on: .plain)
        #expect(table.contains("left out 2 entries"))
        let sound = ExtensionReport(id: "Lists", ["status": "enabled", "left-out": .uint64(0)])
        #expect(!sound.report(at: WallTime(microseconds: 0), on: .plain).contains("left out"))
    }

    @Test func whoIsThis() {
        let known = Identification(
            number: "1111",
            properties: [
                "name": "RW Tutorial Team", "name-source": "directory", "label": "RW Tutorial Team",
                "label-source": "Tutorial", "blocked": .bool(false),
            ])
        #expect(
            known.text(on: .plain)
                == "number     1111\nname       RW Tutorial Team\nname from  Tutorial\nblocked    no")
        let blocked = Identification(
            number: "1234", properties: ["blocked": .bool(true), "blocked-by": "user", "blocked-rule": "1234"])
        #expect(blocked.text(on: .plain) == "number   1234\nname     unknown\nblocked  by user")
        #expect(
            blocked.json.text
                == #"{"handle":"1234","normalized":"","name":"","name-source":"","contact-identifier":"","image":"","#
                + #""label":"","label-source":"","favorite":false,"allowed":false,"allowed-by":"","blocked":true,"blocked-by":"user","#
                + #""blocked-rule":"1234"}"#)
    }

    @Test func theRulesThatDecideAboutSomebody() {
        let friend = Identification(
            number: "+46701740605",
            properties: [
                "name": "Alice", "name-source": "contacts", "label": "Telemarketing", "label-source": "Spam",
                "favorite": .bool(true), "allowed": .bool(true), "allowed-by": "+4670…", "blocked": .bool(false),
                "blocked-by": "Spam",
            ])
        #expect(
            friend.text(on: .plain).split(separator: "\n") == [
                "number      +46701740605", "name        Alice", "name from   contacts", "label       Telemarketing",
                "label from  Spam", "favorite    yes", "allowed     by user, +4670…", "blocked     no, though by Spam",
            ])
        let prefix = Identification(
            number: "+46900111222",
            properties: ["blocked": .bool(true), "blocked-by": "user", "blocked-rule": "+46900…"])
        #expect(prefix.text(on: .plain).hasSuffix("blocked  by user, +46900…"))
    }

    @Test func progressFitsItsLine() {
        let half = Progress(title: "loading Spam", done: 5_000_000, total: 10_000_000)
        let bar = String(repeating: "#", count: 10) + String(repeating: " ", count: 11)
        #expect(half.text(in: 62) == "loading Spam  [\(bar)]  5,000,000 of 10,000,000")
        #expect(half.text(in: 80).count <= 80)
        #expect(half.text(in: 40) == "loading Spam  5,000,000 of 10,000,000")
        #expect(half.text(in: 20).displayWidth <= 20)
        #expect(Progress(title: "x", done: 1, total: 0).text(in: 80) == "x  1 entry")
        #expect(Progress(title: "x", done: 11, total: 10).text(in: 80) == "x  11 entries")
        #expect(Progress(title: "x\u{1B}[2J", done: 2, total: 0).text(in: 80) == "x\u{FFFD}[2J  2 entries")
        for width in [0, 1, 5, 200] {
            #expect(half.text(in: width).displayWidth <= max(width, 0))
        }
    }

    @Test func changesOfListsWhileWatching() {
        let state = WatchState()
        #expect(state.lists("user").text == "your own lists have changed")
        #expect(state.lists("Spam", spam()).text == "Spam enabled: 10,000,000 blocked, 2 identified")
        #expect(state.lists("Spam", spam(["status": "disabled"])).text == "Spam disabled")
        let failed = spam(["error": "DuplicateEntries", "message": "5 twice"])
        #expect(state.lists("Spam", failed).text == "Spam enabled: DuplicateEntries: 5 twice")
    }
}
