// Files and folders that are the user's only, and links that are not followed.

import EventLoop
import Files
import Foundation
import TestSupport
import Testing

@Suite struct PrivateFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aFolderLosesTheRightsOfOthers() throws {
        let path = folder.file("a/b")
        try FileWriter.makePrivateFolder(path)
        #expect(chmod(path, 0o755) == 0)
        try FileWriter.makePrivateFolder(path)
        let status = try FileManager.default.attributesOfItem(atPath: path)
        #expect(status[.posixPermissions] as? Int == 0o700)
    }

    @Test func aLinkOrAFileIsNoFolder() throws {
        try FileWriter.makeFolder(folder.file("target"))
        #expect(symlink(folder.file("target"), folder.file("link")) == 0)
        #expect(throws: SystemError.self) { try FileWriter.makePrivateFolder(folder.file("link")) }
        try folder.write("x", to: "file")
        #expect(throws: SystemError.self) { try FileWriter.makePrivateFolder(folder.file("file")) }
        #expect(throws: SystemError.self) { try FileWriter.makePrivateFolder(folder.file("file/below")) }
    }

    @Test func aLinkIsFollowedIfThatIsWanted() throws {
        try folder.write("x", to: "file")
        #expect(symlink(folder.file("file"), folder.file("link")) == 0)
        #expect(try FileStatus(folder.file("link")).kind == .regular)
        #expect(try FileStatus(folder.file("link"), followingLinks: false).kind == .other)
        #expect(try FileReader(folder.file("link")).status.size == 1)
        #expect(throws: SystemError.notRegular()) {
            try FileReader(folder.file("link"), followingLinks: false)
        }
        #expect(try FileReader(folder.file("file"), followingLinks: false).status.size == 1)
    }

    @Test(arguments: [true, false]) func removes(durably: Bool) throws {
        try folder.write("x", to: "file")
        try FileWriter.remove(folder.file("file"), durably: durably)
        #expect(throws: SystemError(call: "stat", code: ENOENT)) { try FileStatus(folder.file("file")) }
        try FileWriter.remove(folder.file("file"), durably: durably)
        #expect(throws: SystemError.self) { try FileWriter.remove(folder.path, durably: durably) }
    }

    @Test(arguments: [
        (0o600, true), (0o400, true), (0o700, true), (0o640, false), (0o604, false), (0o610, false), (0o601, false),
    ])
    func aFileIsPrivateIfOthersHaveNoRights(mode: Int, isPrivate: Bool) throws {
        try folder.write("x", to: "file")
        #expect(chmod(folder.file("file"), mode_t(mode)) == 0)
        #expect(try FileStatus(folder.file("file")).isPrivate == isPrivate)
        #expect(try FileReader(folder.file("file")).status.isPrivate == isPrivate)
    }
}
