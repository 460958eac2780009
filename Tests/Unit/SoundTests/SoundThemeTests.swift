// Themes of sounds, in folders that the test writes.

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Sound

@Suite struct SoundThemeTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = [
            "XDG_DATA_HOME": folder.file("home"),
            "XDG_DATA_DIRS": "\(folder.file("one")):relative:\(folder.file("two"))",
        ]
    }

    private func write(_ path: String, _ text: String = "") throws {
        let folders = path.split(separator: "/").dropLast()
        var made = ""
        for name in folders {
            made += "\(name)/"
            mkdir(folder.file(made), 0o700)
        }
        try folder.write(text, to: path)
    }

    private func find(_ sound: String = "bell", in theme: String = "Mine") -> String? {
        SoundTheme(name: theme, environment: environment).file(of: sound).map {
            String($0.dropFirst(folder.file("").count))
        }
    }

    @Test func theUsersFolderGoesFirstAndTheBetterFormat() throws {
        try write("two/sounds/Mine/stereo/bell.oga")
        #expect(find() == "two/sounds/Mine/stereo/bell.oga")
        try write("one/sounds/Mine/stereo/bell.wav")
        #expect(find() == "one/sounds/Mine/stereo/bell.wav")
        try write("one/sounds/Mine/stereo/bell.ogg")
        #expect(find() == "one/sounds/Mine/stereo/bell.ogg")
        try write("home/sounds/Mine/stereo/bell.wav")
        #expect(find() == "home/sounds/Mine/stereo/bell.wav")
        #expect(find("other") == nil)
    }

    @Test func soundsMayStandBesideTheIndex() throws {
        try write("home/sounds/Mine/bell.oga")
        #expect(find() == "home/sounds/Mine/bell.oga")
        try write("home/sounds/Mine/stereo/bell.oga")
        #expect(find() == "home/sounds/Mine/stereo/bell.oga")
    }

    @Test func aThemeInheritsAndFreedesktopIsTheLast() throws {
        try write("two/sounds/freedesktop/stereo/bell.oga")
        try write("two/sounds/freedesktop/stereo/gong.oga")
        try write("one/sounds/Parent/stereo/bell.oga")
        try write("one/sounds/Mine/index.theme", "[Sound Theme]\nName=Mine\nInherits=Parent,Other\n")
        #expect(find() == "one/sounds/Parent/stereo/bell.oga")
        #expect(find("gong") == "two/sounds/freedesktop/stereo/gong.oga")
        #expect(find("gong", in: "unknown") == "two/sounds/freedesktop/stereo/gong.oga")
    }

    @Test func aSoundIsTurnedOff() throws {
        try write("two/sounds/freedesktop/stereo/bell.oga")
        try write("home/sounds/Mine/stereo/bell.disabled")
        #expect(find() == nil)
        #expect(find(in: "freedesktop") == "two/sounds/freedesktop/stereo/bell.oga")
    }

    @Test func parentsThatGoRoundAndRoundEnd() throws {
        for number in 0..<40 {
            try write("one/sounds/T\(number)/index.theme", "[Sound Theme]\nInherits=T\((number + 1) % 40),T0\n")
        }
        try write("two/sounds/freedesktop/stereo/bell.oga")
        #expect(find(in: "T0") == "two/sounds/freedesktop/stereo/bell.oga")
    }

    @Test func namesDoNotLeaveTheFolderOfThemes() throws {
        try write("one/secret/stereo/bell.oga")
        try write("one/sounds/Mine/index.theme", "[Sound Theme]\nInherits=../secret,..,/one/secret\n")
        #expect(find() == nil)
        #expect(find(in: "../secret") == nil)
        #expect(find("../../../secret/stereo/bell", in: "Mine") == nil)
    }

    @Test func onlyRegularFilesAreSounds() throws {
        try write("one/sounds/Mine/stereo/bell.oga/file")
        mkfifo(folder.file("one/sounds/Mine/stereo/gong.oga"), 0o600)
        #expect(find() == nil)
        #expect(find("gong") == nil)
    }

    @Test func anEmptyOrRelativeVariableMeansTheDefault() throws {
        try write(".local/share/sounds/Mine/stereo/bell.wav")
        for value in ["", "relative"] {
            let environment = ["HOME": folder.path, "XDG_DATA_HOME": value]
            let found = SoundTheme(name: "Mine", environment: environment).file(of: "bell")
            #expect(found?.hasSuffix("/.local/share/sounds/Mine/stereo/bell.wav") == true, "\(value)")
        }
    }

    @Test func withoutVariablesTheUsualFoldersCount() {
        #expect(SoundTheme(environment: [:]).file(of: "no such sound") == nil)
    }
}
