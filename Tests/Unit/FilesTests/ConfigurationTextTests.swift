// Files with one setting per line.

import EventLoop
import Files
import Testing

@Suite struct ConfigurationTextTests {
    private static let text = """
        # A comment
        policy = ios

          volume=80
        policy = android
        broken
        = nothing
        empty =
        path = /a=b
        """

    @Test func entriesHaveTheirLines() {
        let entries = ConfigurationText(Self.text).entries
        #expect(entries.map(\.line) == [2, 4, 5, 6, 7, 8, 9])
        #expect(entries.map(\.key) == ["policy", "volume", "policy", "broken", "", "empty", "path"])
        #expect(entries.map(\.value) == ["ios", "80", "android", nil, nil, nil, "/a=b"])
    }

    @Test func sectionsHaveTheirOwnKeys() {
        let text = ConfigurationText("a = 0\n[General]\na=1\na=2\n\n[Other][Part]\na=3\nb=4\n")
        #expect(text.value(of: "a", in: "[General]") == "2")
        #expect(text.value(of: "a", in: "[Other][Part]") == "3")
        #expect(text.value(of: "b", in: "[General]") == nil && text.value(of: "a", in: "[Other]") == nil)
        #expect(text.value(of: "a", in: "") == "0")
    }

    @Test func aSettingIsReplacedInItsPlace() {
        var text = ConfigurationText("# Mine\nvolume = 80\nother = 1\n")
        text.set("volume", to: "50")
        #expect(text.text == "# Mine\nvolume = 50\nother = 1\n")
        text.set("new", to: "x")
        #expect(text.text == "# Mine\nvolume = 50\nother = 1\nnew = x\n")
        text.set("volume", to: nil)
        text.set("missing", to: nil)
        #expect(text.text == "# Mine\nother = 1\nnew = x\n")
    }

    @Test func ofSeveralLinesTheLastCountsAndIsKept() {
        var text = ConfigurationText("a = 1\na = 2\nb = 3\n")
        text.set("a", to: "4")
        #expect(text.text == "a = 4\nb = 3\n")
    }

    @Test func theUsersFolderComesFirst() {
        let environment = ["XDG_CONFIG_HOME": "/home/a/conf", "XDG_CONFIG_DIRS": "relative:/etc/one:/etc/two"]
        #expect(
            ConfigurationText.paths(of: "x/y.conf", in: environment)
                == ["/home/a/conf/x/y.conf", "/etc/one/x/y.conf", "/etc/two/x/y.conf"])
        #expect(
            ConfigurationText.paths(of: "y", in: ["HOME": "/home/a"]) == ["/home/a/.config/y", "/etc/xdg/y"])
    }

    @Test func aMissingFileIsNoError() throws {
        #expect(try ConfigurationText.read("/nonexistent/file") == nil)
        #expect(throws: SystemError.self) { try ConfigurationText.read("/") }
    }
}
