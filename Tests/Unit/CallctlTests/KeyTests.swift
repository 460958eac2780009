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
            call(1, .ringing, .silent, started: 1), call(2, .ringing, .waiting, started: 3),
            call(3, .ringing, .audible, started: 2), call(4, .active),
        ]
        #expect(CallKey.answer.request(among: calls) == .answer(calls[2].path))
        #expect(CallKey.decline.request(among: calls) == .reject(calls[2].path))
        #expect(CallKey.silence.request(among: calls) == .silence)
        #expect(CallKey.answer.request(among: calls.prefix(1)) == .answer(calls[0].path))
    }

    @Test func whatIsHungUp() {
        #expect(CallKey.hangUp.request(among: [call(1, .held), call(2, .ringing)]) == nil)
        #expect(CallKey.answer.request(among: [call(1, .held)]) == nil)
        for state: CallState in [.starting, .started, .connecting, .answering, .active, .resuming] {
            #expect(
                CallKey.hangUp.request(among: [call(1, state)])
                    == .end(["starting", "started", "connecting", "answering", "active", "resuming"]))
        }
    }

    private func call(
        _ number: UInt64, _ state: CallState, _ mode: RingMode? = nil, started: WallTime = 0
    ) -> PublishedCall {
        var call = PublishedCall(CallID(high: 0, low: number))
        (call.state, call.ringMode, call.startedAt) = (state, mode, started)
        return call
    }
}
