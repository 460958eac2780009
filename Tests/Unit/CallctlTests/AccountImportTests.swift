// Accounts of files and the schema of a plugin: what fits, what is there already, and what is printed to be run.

import CallModel
import DBus
import EventLoop
import TestSupport
import Testing

@testable import callctl

@Suite @LoopActor struct AccountImportTests {
    nonisolated init() { Loop.shared.start() }

    private static let form = AccountForm(
        plugin: "Other",
        wire: ["user", "domain", "label", "transport"].map { key in
            [
                "key": .string(key), "type": .string("string"),
                "values": Variant(key == "transport" ? ["tcp", "tls"] : []),
            ]
        })

    private static func item(_ text: String, in book: AccountBook = AccountBook([])) throws -> AccountImport {
        let account = try #require(try ImportSample.file(text).accounts.first)
        return AccountImport(account, of: "/x", for: form, in: book, after: [])
    }

    private static let alice = "[sip-00]\nUser=alice\nHost=example.org\nProtocol=UDP\nPassword=secret\n"

    @Test func whatASchemaHasNoRoomForIsLeftOutAndSaid() throws {
        let item = try Self.item(Self.alice + "MediaEncryption=2\n")
        #expect(item.isNew && item.secrets.isEmpty && item.missing.isEmpty)
        #expect(
            item.settings == [
                "user": .string("alice"), "domain": .string("example.org"), "label": .string("alice@example.org"),
            ])
        #expect(
            item.notes == [
                "transport is left out: InvalidArguments: the field transport is \"udp\", expected one of tcp, tls",
                "encryption is left out: InvalidArguments: Other has no setting \"encryption\", its settings: user, "
                    + "domain, label, transport", "Other has no secret password",
            ])
        #expect(!item.json.text.contains("secret\"") && item.json.text.contains(#""outcome":"new""#))
    }

    @Test func anAccountThatIsThere() throws {
        func row(_ plugin: String, _ user: String, _ domain: String) -> AccountRow {
            AccountRow(
                .root,
                [
                    "Id": .string("1a2b3c4d-0000"), "Plugin": .string(plugin),
                    "Settings": Variant(["user": .string(user), "domain": .string(domain)] as VariantDictionary),
                ], form: Self.form)
        }
        for (there, isNew) in [
            (row("Other", "alice", "EXAMPLE.org"), false), (row("Other", "Alice", "example.org"), true),
            (row("Another", "alice", "example.org"), true), (row("Other", "alice", "example.net"), true),
        ] {
            #expect(try Self.item(Self.alice, in: AccountBook([there])).isNew == isNew)
        }
    }

    @Test(arguments: [
        ("a-b_c.d@e:/9", "a-b_c.d@e:/9"), ("", "''"), ("a b", "'a b'"), ("o'c", "'o'\\''c'"), ("$(x)", "'$(x)'"),
        ("`x`\n", "'`x`\n'"), ("ä", "'ä'"), ("~", "'~'"),
    ]) func wordsOfAShell(text: String, quoted: String) {
        #expect(text.quotedForShell == quoted)
    }

    @Test func aFileThatIsAllGroups() throws {
        let clock = ContinuousClock()
        for line in ["[%]\n", "%=\n", "\n", "[auth_info_%]\n", "[proxy_0]\nk%=v\n"] {
            var text = "[proxy_0]\nreg_identity=sip:a@h\n"
            var number = 0
            while text.utf8.count < KeyFile.largest {
                text += line.replacing("%", with: String(number))
                number += 1
            }
            let start = clock.now
            #expect(try ImportSample.file(text).accounts.count == 1)
            let time = clock.now - start
            #expect(time < .seconds(20), "\(line): \(time)")
            print("1 MiB of \(line.debugDescription): \(time)")
        }
    }
}
