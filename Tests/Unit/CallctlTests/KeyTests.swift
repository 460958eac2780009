// Keys in the settings of desktops, and which call a key means.

import CallClient
import CallModel
import DBus
import Testing

@testable import callctl

@Suite struct KeyTests {
    private let program = KeyRecipe.Program(path: "/usr/bin/callctl")

    @Test func gnomeKeepsTheKeysThatAreThere() throws {
        let settings = try #require(KeySettings.of("gnome"))
        let recipe = settings.recipe(program, listed: "['/a/', '\(settings.folder)opencallkit-answer/']")
        #expect(recipe.lines.count == 10)
        #expect(
            recipe.lines.last
                == "gsettings set org.gnome.settings-daemon.plugins.media-keys custom-keybindings \"['/a/', "
                + ["answer", "decline", "silence", "hang-up"].map { "'\(settings.folder)opencallkit-\($0)/'" }
                .joined(separator: ", ") + "]\"")
    }

    @Test(arguments: ["@as []", "[]"]) func anEmptyListBegins(listed: String) throws {
        let settings = try #require(KeySettings.of("x-cinnamon"))
        let recipe = settings.recipe(program, listed: listed)
        #expect(
            recipe.lines.last
                == "gsettings set org.cinnamon.desktop.keybindings custom-list \"['opencallkit-answer', "
                + "'opencallkit-decline', 'opencallkit-silence', 'opencallkit-hang-up']\"")
        #expect(recipe.lines[2].hasSuffix("/opencallkit-answer/ binding \"['<Shift><Super>a']\""))
        #expect(recipe.lines[1].hasSuffix(" command '/usr/bin/callctl desktop press answer'"))
    }

    @Test func entriesOfOthersAreKeptAndNotRun() throws {
        let settings = try #require(KeySettings.of("gnome"))
        let line = try #require(settings.recipe(program, listed: "['/a[1]/', '/$(reboot)/']").lines.last)
        #expect(line.contains("custom-keybindings '['\\''/a[1]/'\\'', '\\''/$(reboot)/'\\'', "))
        #expect(line.hasSuffix("opencallkit-hang-up/'\\'']'"))
    }

    @Test func mateHasNoList() throws {
        let settings = try #require(KeySettings.of("mate"))
        #expect(settings.listCommand == nil)
        let recipe = settings.recipe(program, listed: "")
        #expect(recipe.lines.count == 12)
        #expect(
            recipe.lines[1]
                == "gsettings set org.mate.control-center.keybinding:/org/mate/desktop/keybindings/opencallkit-answer/ "
                + "action '/usr/bin/callctl desktop press answer'")
    }

    @Test func wordsOfAShell() { #expect("it's".shellQuoted == "'it'\\''s'") }

    @Test func theCallThatRingsAloudGoesFirst() {
        let calls = [
            call("one", "ringing", mode: "silent", started: 1), call("two", "ringing", mode: "waiting", started: 3),
            call("three", "ringing", mode: "audible", started: 2), call("four", "active"),
        ]
        #expect(CallKey.answer.request(among: calls) == .answer("/three"))
        #expect(CallKey.decline.request(among: calls) == .reject("/three"))
        #expect(CallKey.silence.request(among: calls) == .silence)
        #expect(CallKey.answer.request(among: calls.prefix(1)) == .answer("/one"))
    }

    @Test func whatIsHungUp() {
        #expect(CallKey.hangUp.request(among: [call("one", "held"), call("two", "ringing")]) == nil)
        #expect(CallKey.answer.request(among: [call("one", "held")]) == nil)
        for state in ["starting", "started", "connecting", "answering", "active", "resuming"] {
            #expect(
                CallKey.hangUp.request(among: [call("one", state)])
                    == .end(["starting", "started", "connecting", "answering", "active", "resuming"]))
        }
    }

    private func call(_ name: String, _ state: String, mode: String = "", started: UInt64 = 0) -> Record {
        Record(
            ObjectPath("/\(name)") ?? .root,
            ["State": .string(state), "RingMode": .string(mode), "StartedAt": .uint64(started)])
    }
}
