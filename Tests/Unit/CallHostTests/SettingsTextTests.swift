// What counts of damaged files of settings.

import CallModel
import Testing
import WorkerLaunch

@testable import CallHost

@Suite struct SettingsTextTests {
    private static func reading<Settings: SettingsText>(_ text: String, _: Settings.Type) -> SettingsReading<Settings> {
        SettingsReading(Array(text.utf8))
    }

    @Test func theValidLinesCount() {
        let good = "app id=a tiers=control\n"
        let read = Self.reading("access\n\(good)nonsense\napp id=b tiers=identity\n", AccessSettings.self)
        #expect(read.settings.apps == ["a": [.control], "b": [.identity]])
        #expect(read.complaint != nil && read.isWhole)
        let cut = Self.reading("access\n\(good)app id=b tiers=identity", AccessSettings.self)
        #expect(cut.settings.apps == ["a": [.control]] && !cut.isWhole)
        let headless = Self.reading(good, AccessSettings.self)
        #expect(headless.settings.apps == ["a": [.control]] && !headless.isWhole && headless.complaint != nil)
        let sound = Self.reading("access\n\(good)", AccessSettings.self)
        #expect(sound.complaint == nil && sound.isWhole)
    }

    /// A byte that is no text makes its line invalid: it would make another name of the one that it is in.
    @Test func bytesThatAreNoTextAreNotReplaced() {
        let bytes = Array("access\napp id=a tiers=control\napp id=b".utf8) + [0xFF] + Array(" tiers=control\n".utf8)
        let read = SettingsReading<AccessSettings>(bytes)
        #expect(read.settings.apps == ["a": [.control]] && read.complaint != nil)
    }

    /// Two sessions change one file: each changes its own lines.
    @Test func whatAnotherSessionHasWrittenStays() throws {
        func disabled(_ ids: String...) -> PluginSettings {
            var settings = PluginSettings()
            settings.disabled = Set(ids)
            return settings
        }
        let joined = disabled("A", "B", "C").changed(from: disabled("A", "B"), to: disabled("B", "D"))
        #expect(joined == disabled("B", "C", "D"))
        let known = try KnownProviderSettings(text: "A\nB\nX\n")
            .changed(from: KnownProviderSettings(text: "A\nB\n"), to: KnownProviderSettings(text: "A\nB\nC\n"))
        #expect(known.text == "A\nB\nX\nC\n")
        let quiet = "quiet from=22:00 until=07:00 days=mon\n"
        let off = try DoNotDisturbSettings(text: "do-not-disturb\n")
        let scheduled = try DoNotDisturbSettings(text: "do-not-disturb\n\(quiet)")
        let on = try DoNotDisturbSettings(text: "do-not-disturb on=yes\n")
        #expect(scheduled.changed(from: off, to: on).text == "do-not-disturb on=yes\n\(quiet)")
        #expect(on.changed(from: off, to: scheduled).text == "do-not-disturb on=yes\n\(quiet)")
        // One revokes what the other adds to: it is revoked.
        let (one, both, none) = (
            try AccessSettings(text: "access\napp id=a tiers=control\n"),
            try AccessSettings(text: "access\napp id=a tiers=control,identity\n"), try AccessSettings(text: "access\n")
        )
        #expect(both.changed(from: one, to: none) == none)
    }

    @Test func whatMayBeRefusedRemainsRefused() throws {
        let plugins = Self.reading("plugins\nplugin id=A enabled=nope\nplugin id=B enabled=n", PluginSettings.self)
        #expect(plugins.settings.disabled == ["A", "B"] && !plugins.isWhole)
        let line = "permission plugin=\"P\" folder=/f granted=no name=netw ork\n"
        var grants = Self.reading("permissions\n\(line)", PluginGrants.self).settings
        #expect(grants.doubtful == ["P"])
        let place = PluginGrants.Place(id: "P", folder: "/f")
        try grants.decide([.audio], true, for: place)
        grants.refuse([.audio, .network], for: place)
        #expect(grants.decisions(for: place) == [.audio: true, .network: false])
    }

    @Test func anAccountWithADamagedLineIsDisabled() throws {
        let ids = ["01234567-89ab-cdef-0123-456789abcdef", "11234567-89ab-cdef-0123-456789abcdef"]
        #expect(ids.allSatisfy { AccountID(rawValue: $0) != nil })
        func file(_ damage: String) -> String {
            let accounts = ids.map { "account id=\($0) plugin=P enabled=yes\nsetting id=\($0) key=k string=v\n" }
            return "accounts\n" + accounts.joined() + damage
        }
        func enabled(_ damage: String) -> [Bool] {
            Self.reading(file(damage), AccountList.self).settings.records.map(\.isEnabled)
        }
        #expect(enabled("") == [true, true])
        #expect(enabled("setting id=\(ids[0]) key=\n") == [false, true])
        #expect(enabled("nonsense\n") == [true, false])
        #expect(enabled("account id=21234567-89ab-cdef-0123-456789abcdef plug") == [true, true])
    }

    @Test func settingsWithoutATitle() throws {
        let read = Self.reading("sip One\nno scheme at all\ngeneric Two\n", DefaultProviderSettings.self)
        #expect(read.settings.choice.keys.sorted() == ["generic", "sip"] && read.complaint != nil && read.isWhole)
        #expect(try DefaultProviderSettings(text: read.settings.text) == read.settings)
        let marked = try EmergencyProviderSettings(["B", "A"])
        #expect(marked.text == "A\nB\n")
        #expect(try EmergencyProviderSettings(text: marked.text) == marked)
        let known = Self.reading("A\nno id\nB\n", KnownProviderSettings.self)
        #expect(known.settings.text == "A\nB\n" && known.complaint != nil)
        #expect(try KnownProviderSettings(text: "") == KnownProviderSettings())
    }
}
