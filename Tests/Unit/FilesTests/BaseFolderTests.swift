// The folders of the XDG Base Directory Specification, and paths taken apart.

import Glibc
import TestSupport
import Testing

@testable import Files

@Suite struct BaseFolderTests {
    @Test(arguments: [
        (BaseFolder.config, "/h/.config"), (.data, "/h/.local/share"), (.state, "/h/.local/state"),
        (.cache, "/h/.cache"),
    ])
    func defaults(folder: BaseFolder, standard: String) {
        #expect(folder.path(in: ["HOME": "/h"]) == standard)
        #expect(folder.path(in: ["HOME": "//h/./"]) == standard)
        #expect(folder.path(in: ["HOME": "/"]) == String(standard.dropFirst(2)))
        for invalid in ["", "relative", "~/x"] {
            #expect(folder.path(in: ["HOME": "/h", folder.rawValue: invalid]) == standard, "\(invalid)")
            #expect(folder.path(in: ["HOME": invalid]) == nil, "\(invalid)")
        }
        #expect(folder.path(in: [:]) == nil)
        #expect(folder.path(in: [folder.rawValue: "/x//y/"]) == "/x/y")
        #expect(folder.path(in: ["HOME": "/h", folder.rawValue: "/x"]) == "/x")
    }

    @Test func systemFolders() {
        for environment in [[:], ["XDG_DATA_DIRS": "", "XDG_CONFIG_DIRS": ""]] {
            #expect(BaseFolder.systemData(in: environment) == ["/usr/local/share", "/usr/share"])
            #expect(BaseFolder.systemConfig(in: environment) == ["/etc/xdg"])
        }
        #expect(BaseFolder.systemData(in: ["XDG_DATA_DIRS": "/b/:relative::/a"]) == ["/b", "/a"])
        #expect(BaseFolder.systemConfig(in: ["XDG_CONFIG_DIRS": "relative"]).isEmpty)
    }

    @Test func plainPaths() throws {
        let folder = try TemporaryFolder()
        let home = try FileStatus.resolve(folder.path)
        try #require(mkdir(folder.file("run"), 0o700) == 0 && mkdir(folder.file("Music"), 0o700) == 0)
        #expect("/a//b/./c/".plainPath == "/a/b/c")
        #expect("/".plainPath == "/")
        #expect("\(home)/run/../Music".plainPath == "\(home)/Music")
        #expect("/nonexistent/../x".plainPath == nil)
        for path in ["", "a", "~/x"] { #expect(path.plainPath == nil) }
    }

    /// To Swift, a slash that a combining mark follows is not a slash; to the kernel it is.
    @Test func combiningMarks() {
        #expect("/a/b/\u{301}lib.so".deletingLastElement == "/a/b")
        #expect("/a/b/\u{301}lib.so".lastElement == "\u{301}lib.so")
        #expect("/a/b/\u{301}lib.so".isIn("/a/b") && !"/a/b\u{301}".isIn("/a/b") && !"/a/bc".isIn("/a/b"))
        #expect("/a/../\u{301}x".climbs && !"/a/..\u{301}/x".climbs)
    }
}
