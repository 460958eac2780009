// The settings of the agent, and their file.

import EventLoop
import Files
import Glibc
import Testing

@testable import DesktopAgent

@Suite struct DesktopSettingsTests {
    private func folder() throws -> String {
        let path = "/tmp/desktop-settings-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileWriter.makeFolder(path + "/opencallkit")
        return path
    }

    @Test @LoopActor func withoutAFileTheDefaultsCount() {
        let settings = DesktopSettings(environment: ["XDG_CONFIG_HOME": "/nonexistent", "XDG_CONFIG_DIRS": "/nowhere"])
        #expect(settings.values == DesktopSettings.Values())
        #expect(settings.problems.isEmpty)
    }

    @Test @LoopActor func aChangeIsWrittenAndReadAgain() throws {
        let home = try folder()
        let environment = ["XDG_CONFIG_HOME": home, "XDG_CONFIG_DIRS": "/nowhere"]
        let file = home + "/" + DesktopSettings.fileName
        try FileWriter.replace(file, with: Array("# Mine\nring-volume = 20\nunknown = 1\n".utf8))
        let settings = DesktopSettings(environment: environment)
        #expect(settings.values.ringVolume == 0.2)
        #expect(settings.problems.count == 1)
        #expect(settings.problems.first?.hasPrefix("\(file):3: unknown key unknown, expected one of") == true)
        var changes = 0
        settings.observe { changes += 1 }
        try settings.change {
            $0.ringVolume = 0.5
            $0.ringtones["Hotline"] = "/tone.ogg"
        }
        try settings.change { $0.ringVolume = 0.5 }
        #expect(changes == 1)
        let text = try #require(try ConfigurationText.read(file)).text
        #expect(text == "# Mine\nring-volume = 50\nunknown = 1\nringtone Hotline = /tone.ogg\n")
        let again = DesktopSettings(environment: environment)
        #expect(again.values == settings.values)
        try again.change { $0.ringtones["Hotline"] = nil }
        #expect(try ConfigurationText.read(file)?.text == "# Mine\nring-volume = 50\nunknown = 1\n")
    }

    /// What cannot be read is not replaced, and nothing is told that the user may have refused to tell.
    @Test(arguments: ["folder", "fifo", "large"]) @LoopActor func aFileThatCannotBeReadIsKept(kind: String) throws {
        let home = try folder()
        let file = home + "/" + DesktopSettings.fileName
        switch kind {
        case "folder": #expect(mkdir(file, 0o700) == 0)
        case "fifo": #expect(mkfifo(file, 0o600) == 0)
        default:
            try FileWriter.replace(file, with: [])
            #expect(truncate(file, 1 << 30) == 0)
        }
        let settings = DesktopSettings(environment: ["XDG_CONFIG_HOME": home, "XDG_CONFIG_DIRS": "/nowhere"])
        let reason = kind == "large" ? "read: file too large" : "open: not a regular file"
        #expect(settings.problems == ["\(file) cannot be read: \(reason)"])
        #expect(!settings.values.servesGnomeCalls)
        var changes = 0
        settings.observe { changes += 1 }
        #expect(throws: SystemError.self) { try settings.change { $0.ringVolume = 0.5 } }
        #expect(changes == 0 && settings.values.ringVolume == 1)
        let status = try FileStatus(file)
        #expect(status.kind != .regular || status.size == 1 << 30)
    }

    @Test @LoopActor func commentsInAnotherEncodingAreSetAside() throws {
        let home = try folder()
        let file = home + "/" + DesktopSettings.fileName
        let bytes = Array("# M".utf8) + [0xFC] + Array("ll\nring-volume = 20\n".utf8)
        try FileWriter.replace(file, with: bytes)
        let settings = DesktopSettings(environment: ["XDG_CONFIG_HOME": home, "XDG_CONFIG_DIRS": "/nowhere"])
        try settings.change { $0.ringVolume = 0.5 }
        #expect(try FileReader(file + ".damaged").bytes(at: 0, count: 100) == bytes)
        try settings.change { $0.ringVolume = 0.6 }
        #expect(throws: SystemError.self) { try FileStatus(file + ".damaged-2") }
    }

    @Test(arguments: [
        ("ring-volume = 101", "101 is not a valid value of ring-volume, expected 0 to 100"),
        ("gnome-calls = maybe", "maybe is not a valid value of gnome-calls, expected yes or no"),
        ("ringtone Hotline = tone.ogg", "tone.ogg is not an absolute path"), ("nonsense", "expected key = value"),
    ])
    func invalidLinesAreTold(line: String, complaint: String) throws {
        var values = DesktopSettings.Values()
        let entry = try #require(ConfigurationText(line).entries.first)
        #expect(values.apply(entry) == complaint)
        var expected = DesktopSettings.Values()
        // It may have been no.
        if line.hasPrefix("gnome-calls") { expected.servesGnomeCalls = false }
        #expect(values == expected)
    }

    @Test func namesOfRingtonesFitInALine() {
        #expect(DesktopSettings.Values.complaint(ofRingtoneName: "Hotline") == nil)
        for name in ["", " x", "x ", "a=b", "a\nb"] {
            #expect(DesktopSettings.Values.complaint(ofRingtoneName: name) != nil)
        }
    }
}
