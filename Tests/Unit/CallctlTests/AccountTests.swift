// Accounts on the command line: settings that are typed, tables, and how to refer to one.

import CallModel
import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import callctl

@Suite struct AccountFormTests {
    @Test func theSchemaGivesTheTypes() throws {
        let texts = ["zoo=a=b", "monkeys=7", "loud=Yes", "habitat=savanna", "monkeys=8"].compactMap {
            SettingText(argument: $0)
        }
        let settings = try AccountSample.form.settings(texts)
        #expect(
            settings == [
                "zoo": .string("a=b"), "monkeys": .uint32(8), "loud": .bool(true), "habitat": .string("savanna"),
            ])
        for (word, flag) in [("true", true), ("no", false), ("false", false), ("YES", true)] {
            let text = try #require(SettingText(argument: "loud=\(word)"))
            #expect(try AccountSample.form.settings([text]) == ["loud": .bool(flag)])
        }
        let empty = try #require(SettingText(argument: "zoo="))
        #expect(try AccountSample.form.settings([empty]) == ["zoo": .string("")])
    }

    @Test(arguments: [
        ("monkeys=0", "expected 1 to 100"), ("monkeys=101", "expected 1 to 100"), ("monkeys=-1", "expected 1 to 100"),
        ("monkeys=1.5", "expected 1 to 100"), ("monkeys=", "expected 1 to 100"),
        ("monkeys=99999999999", "expected 1 to 100"), ("loud=1", "expected yes or no"), ("loud=", "expected yes or no"),
        ("habitat=sea", "expected one of jungle, savanna"), ("cage=1", "its settings: zoo, monkeys, habitat, loud"),
        ("zoo=\u{1B}[2J", "control characters"), ("pin=1234", "visible in the list of processes"),
    ]) func whatTheSchemaRefuses(argument: String, says: String) throws {
        let text = try #require(SettingText(argument: argument))
        let failure = #expect(throws: Failure.self) { try AccountSample.form.settings([text]) }
        #expect(failure?.outcome == .refused && failure?.message.hasPrefix("InvalidArguments: ") == true)
        #expect(failure?.message.contains(says) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("1234") == false)
    }

    @Test(arguments: ["", "zoo", "=Berlin", "="]) func noSettings(argument: String) {
        #expect(SettingText(argument: argument) == nil)
    }

    @Test(arguments: ["pin", "pin=", "=3", "pin=-1", "pin=x", "pin=99999999999"]) func noSources(argument: String) {
        #expect(SecretSource(argument: argument) == nil)
    }

    @Test func secrets() throws {
        #expect(try AccountSample.form.secret("pin").label == "PIN")
        for key in ["zoo", "", "nothing"] {
            #expect(throws: Failure.self) { try AccountSample.form.secret(key) }
        }
        #expect(SecretSource(argument: "pin=3")?.descriptor == 3)
    }

    @Test func aStrangeSchemaIsReadAsFarAsItIsKnown() {
        let form = AccountForm(
            plugin: "X",
            wire: [
                [:], ["key": .string("a")], ["key": .string("A B"), "type": .string("string")],
                ["key": .string("date"), "type": .string("date")],
                ["key": .string("b"), "type": .string("number"), "label": .uint32(3), "minimum": .string("x")],
            ])
        #expect(form.fields.map(\.key) == ["b"])
        #expect(form.fields.first?.label == "b" && form.titleKey == nil)
    }

    @Test func tableAndJSON() {
        #expect(
            AccountSample.form.table(on: .plain) == """
                KEY      LABEL    NEEDED  VALUE            DEFAULT
                zoo      Zoo      yes     text
                pin      PIN      yes     secret
                monkeys  monkeys          1 to 100         3
                habitat  habitat          jungle, savanna
                loud     loud             yes or no
                label    Label            text
                """)
        #expect(
            AccountSample.form.json.text.hasPrefix(
                #"[{"key":"zoo","type":"string","label":"Zoo","required":true,"reconnect":false},{"key":"pin","#))
        #expect(AccountSample.form.json.text.contains(#""default":3,"minimum":1,"maximum":100}"#))
        #expect(AccountSample.form.json.text.contains(#""values":["jungle","savanna"]"#))
    }
}

@Suite struct AccountBookTests {
    private let book = AccountBook([
        AccountSample.row("1a2b3c4d-0000-4000-8000-000000000001", label: "Home", state: "ready", storage: "file"),
        AccountSample.row(
            "1a2bffff-0000-4000-8000-000000000002", zoo: "Berlin", state: "failed", problem: "bad-credentials",
            text: "The zoo refuses the PIN"),
        AccountSample.row("fe000000-0000-4000-8000-000000000003", zoo: "Berlin", plugin: "Ape", state: "needs-secret"),
    ])

    @Test(arguments: [
        ("1a2b3", "1a2b3c4d"), ("1A2BF", "1a2bffff"), ("f", "fe000000"), ("home", "1a2b3c4d"), ("HOME", "1a2b3c4d"),
        ("fe000000-0000", "fe000000"), ("fe0000000000", "fe000000"),
        ("1a2bffff-0000-4000-8000-000000000002", "1a2bffff"),
        ("/org/opencallkit/CallSystem1/accounts/1a2bffff_0000_4000_8000_000000000002", "1a2bffff"),
    ]) func found(reference: String, id: String) throws {
        #expect(try book.find(reference).id.hasPrefix(id))
    }

    @Test func notFound() {
        let all = "  fe000000  Ape  Berlin\n  1a2bffff  MonkeyCall  Berlin\n  1a2b3c4d  MonkeyCall  Home"
        for reference in ["x", "", "-", "hom", "1a2b3c4d-0000-4000-8000-000000000009"] {
            #expect(throws: Failure(.unknown, "no account \"\(reference)\", expected one of:\n\(all)")) {
                try book.find(reference)
            }
        }
        #expect(throws: Failure(.unknown, "no account \"x\"; there are no accounts")) { try AccountBook([]).find("x") }
        for (reference, count) in [("1", 2), ("berlin", 2)] {
            let failure = #expect(throws: Failure.self) { try book.find(reference) }
            #expect(failure?.message.hasPrefix("\"\(reference)\" matches \(count) accounts:\n  ") == true)
        }
    }

    @Test func aNameThatLooksLikeAnIDIsNotGuessed() throws {
        let book = AccountBook([
            AccountSample.row("aa000000-0000-4000-8000-000000000001", label: "b"),
            AccountSample.row("bb000000-0000-4000-8000-000000000002", label: "c"),
        ])
        #expect(throws: Failure.self) { try book.find("b") }
        #expect(try book.find("bb").name == "c")
        #expect(try book.find("a").name == "b")
    }

    @Test func table() {
        #expect(
            book.table(on: .plain) == """
                ID        PLUGIN      NAME    STATE         PROBLEM
                fe000000  Ape         Berlin  needs-secret
                1a2bffff  MonkeyCall  Berlin  failed        bad-credentials: The zoo refuses the PIN
                1a2b3c4d  MonkeyCall  Home    ready
                1a2b3c4d: secrets are in a file, not encrypted
                """)
        #expect(AccountBook([]).table(on: .plain) == "no accounts")
        for width in [40, 60, 80] {
            let text = book.table(on: Terminal(width: width, showsColors: false))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= max(width, 60) }, "\(text)")
        }
    }

    @Test func idsAreAsLongAsTheyMustBe() {
        let book = AccountBook([
            AccountSample.row("1a2b3c4d-0000-4000-8000-000000000001"),
            AccountSample.row("1a2b3c4d-0001-4000-8000-000000000001"),
        ])
        #expect(book.rows.map(book.shortID) == ["1a2b3c4d-0000", "1a2b3c4d-0001"])
    }

    @Test func details() throws {
        let row = try book.find("home")
        #expect(
            row.details(AccountSample.form, on: .plain) == """
                id       1a2b3c4d-0000-4000-8000-000000000001
                name     Home
                plugin   MonkeyCall
                state    ready
                monkeys  3 (default)
                label    Home
                pin      missing
                secrets  in a file, not encrypted
                """)
        #expect(row.details(nil, on: .plain).contains("label    Home (unknown)"))
        #expect(
            book.report(on: try book.find("1a2bf"))
                == "1a2bffff (Berlin): failed, bad-credentials: The zoo refuses the PIN")
    }

    @Test func whatComesFromOutsideControlsNothing() {
        let row = AccountSample.row(
            "1a2b3c4d-0000-4000-8000-000000000001", label: "\u{1B}[2J", plugin: "\u{7}", text: "a\nb")
        let book = AccountBook([row])
        for text in [book.table(on: .plain), book.title(of: row), book.report(on: row)] {
            #expect(!text.unicodeScalars.contains { $0.isUnsafeInText && $0 != "\n" }, "\(text)")
        }
        #expect(book.table(on: .plain).split(separator: "\n").count == 2)
    }
}

@Suite @LoopActor struct SecretBytesTests {
    nonisolated init() { Loop.shared.start() }

    @Test(arguments: [
        ("secret", "secret"), ("secret\n", "secret"), ("secret\n\n", "secret\n"), ("a\r\n", "a\r"), ("é\n", "é"),
        (String(repeating: "x", count: 4_096) + "\n", String(repeating: "x", count: 4_096)),
    ]) func whatIsReadIsSent(written: String, sent: String) throws {
        let source = try Self.pipe(with: written)
        let secret = try withExtendedLifetime(source) { try SecretBytes(readingAll: source.number, for: "pin") }
        #expect(try Self.text(of: try secret.pipe()) == sent)
    }

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), (String(repeating: "x", count: 4_097), "is longer than 4096 bytes"),
        (String(repeating: "x", count: 4_097) + "\n", "is longer than 4096 bytes"),
        (String(repeating: "x", count: 4_096) + "\n\n", "is longer than 4096 bytes"),
    ]) func whatIsRefused(written: String, says: String) throws {
        let descriptor = try Self.pipe(with: written)
        let failure = #expect(throws: Failure.self) {
            try withExtendedLifetime(descriptor) { _ = try SecretBytes(readingAll: descriptor.number, for: "pin") }
        }
        #expect(failure?.message == "InvalidArguments: the secret pin \(says)")
    }

    @Test func whatCannotBeRead() {
        let folder = open("/", O_RDONLY)
        defer { close(folder) }
        let failure = #expect(throws: Failure.self) { _ = try SecretBytes(readingAll: folder, for: "pin") }
        #expect(failure?.message.hasPrefix("InvalidArguments: the secret pin cannot be read: read: ") == true)
    }

    @Test func keysAreTakenBack() throws {
        let secret = SecretBytes()
        for byte in "aé\u{1F412}".utf8 { #expect(secret.append(byte)) }
        secret.removeLast()
        #expect(secret.count == 3)
        secret.removeLast()
        #expect(try Self.text(of: try secret.pipe()) == "a")
        secret.removeLast()
        secret.removeLast()
        #expect(secret.count == 0)
        #expect(throws: Failure.self) { try secret.check(for: "pin") }
    }

    private static func pipe(with text: String) throws -> OwnedDescriptor {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        defer { close(ends[1]) }
        let bytes = Array(text.utf8)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        return OwnedDescriptor(owning: ends[0])
    }

    private static func text(of descriptor: OwnedDescriptor) throws -> String {
        var bytes: [UInt8] = []
        try withExtendedLifetime(descriptor) {
            while let byte = try InputByte.next(of: descriptor.number) { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

private enum AccountSample {
    static let form = AccountForm(
        plugin: "MonkeyCall",
        wire: [
            ["key": .string("zoo"), "type": .string("string"), "label": .string("Zoo"), "required": .bool(true)],
            ["key": .string("pin"), "type": .string("secret"), "label": .string("PIN"), "required": .bool(true)],
            [
                "key": .string("monkeys"), "type": .string("number"), "default": .uint32(3), "minimum": .uint32(1),
                "maximum": .uint32(100),
            ],
            ["key": .string("habitat"), "type": .string("string"), "values": Variant(["jungle", "savanna"])],
            ["key": .string("loud"), "type": .string("boolean")],
            ["key": .string("label"), "type": .string("string"), "label": .string("Label")],
        ])

    static func row(
        _ id: String, label: String = "", zoo: String = "", plugin: String = "MonkeyCall", state: String = "disabled",
        problem: String = "", text: String = "", storage: String = ""
    ) -> AccountRow {
        var settings = VariantDictionary()
        if !label.isEmpty { settings["label"] = .string(label) }
        if !zoo.isEmpty { settings["zoo"] = .string(zoo) }
        let element = String(id.map { $0 == "-" ? "_" : $0 })
        return AccountRow(
            ObjectPath("/org/opencallkit/CallSystem1/accounts/\(element)") ?? .root,
            [
                "Id": .string(id), "Plugin": .string(plugin), "State": .string(state), "Problem": .string(problem),
                "Text": .string(text), "SecretStorage": .string(storage), "Settings": Variant(settings),
            ], form: form)
    }
}
