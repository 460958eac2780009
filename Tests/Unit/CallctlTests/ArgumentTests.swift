// Command line arguments.

import ArgumentParser
import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct ArgumentTests {
    @Test func valuesOfActions() {
        let cases: [(String, Variant?)] = [
            ("handle=5551", .string("5551")), ("video=true", .bool(true)), ("video=false", .bool(false)),
            ("count:=42", .int64(42)), ("count:=-1", .int64(-1)), ("name=", .string("")),
            ("url=a=b:=c", .string("a=b:=c")),
            ("video=True", .string("True")), ("count:=x", nil), ("count:=", nil), ("=x", nil), (":=1", nil), ("x", nil),
        ]
        for (text, value) in cases {
            #expect(KeyValue(argument: text)?.value == value, "\(text)")
        }
        #expect(KeyValue(argument: "count:=42")?.key == "count")
        #expect(KeyValue(argument: "url=a=b")?.key == "url")
    }

    @Test func theKeysOfAStart() throws {
        let uuid = "1A2B3C4D-0000-4000-8000-000000000001"
        let command = try parsed(
            StartCommand.self, "start", "tel:555", "--video", "--contact", "c1", "--conflict", "end", "--uuid", uuid)
        #expect(
            command.start.options(provider: "/p") == [
                "provider": .objectPath("/p"), "video": .bool(true), "contact-identifier": .string("c1"),
                "uuid": .string(uuid.lowercased()),
            ])
        #expect(command.start.conflict.options == ["conflict": .string("end")])
        #expect(try parsed(StartCommand.self, "start", "x").start.options(provider: nil).isEmpty)
    }

    @Test(arguments: [
        ["start"], ["start", "x", "--conflict", "later"], ["start", "x", "--uuid", "1234"], ["end", "a", "--all"],
        ["dnd", "--schedule", "22"], ["dnd", "--schedule", "none", "--schedule", "1-2"],
        ["dnd", "--allow-favorites", "perhaps"],
        ["dtmf"], ["dtmf", "a", "b", "c"], ["translate"], ["translate", "--from", "en"],
        ["translate", "--from", "en", "--to", "s v"], ["translate", "--off", "--to", "sv"], ["dnd", "maybe"],
        ["action", "p", "a", "novalue"], ["nonsense"],
        ["plugins", "enable"], ["group", "a"], ["block"], ["identify"], ["directory", "reload"],
        ["recents", "--since", "soon"],
        ["recents", "--direction", "sideways"], ["recents", "read"], ["recents", "read", "1", "--all"],
        ["recents", "delete"], ["recents", "delete", "x"], ["recents", "clear"],
        ["recents", "export", "--format", "xls"],
        ["favorites", "add"], ["favorites", "move", "a", "0"], ["favorites", "call"],
    ])
    func wrongUsageIs64(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try Callctl.parseAsRoot(arguments) }
        if let error { #expect(Callctl.exitCode(for: error).rawValue == CallctlExit.usage.rawValue) }
    }

    @Test func everyExitCodeIsInTheHelp() {
        let help = Callctl.helpMessage(columns: 80)
        for outcome in CallctlExit.allCases { #expect(help.contains("  \(outcome.rawValue) ")) }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func helpFitsAndShowsAnExample() {
        let people: [any ParsableCommand.Type] = [
            RecentsCommand.self, FavoritesCommand.self, DirectoryCommand.self, IdentifyCommand.self, BlockCommand.self,
            UnblockCommand.self, BlockedCommand.self, AllowCommand.self, DisallowCommand.self, AllowedCommand.self,
        ]
        let commands = people + people.flatMap { $0.configuration.subcommands }
        #expect(commands.count == 27)
        for command in commands {
            let help = Callctl.helpMessage(for: command, columns: 80)
            #expect(help.contains("\n\nFor example: callctl "), "\(command)")
            for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    private func parsed<Command>(_ type: Command.Type, _ arguments: String...) throws -> Command {
        try #require(try Callctl.parseAsRoot(arguments) as? Command)
    }
}
