// Folders that are measured and removed, whatever a hostile program has put there.

import EventLoop
import Files
import Foundation
import Testing

@Suite struct FolderTreeTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "folder-tree-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
    }

    private func write(_ path: String, _ count: Int = 1) throws {
        try Data(count: count).write(to: URL(filePath: "\(folder)/\(path)"))
    }

    @Test func aMissingFolderIsEmpty() throws {
        #expect(try FolderTree.size(of: "\(folder)/none", limit: 10) == FolderTree.Size())
        try FolderTree.remove("\(folder)/none")
        try FolderTree.remove(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func filesBelowCount() throws {
        defer { try? FolderTree.remove(folder) }
        try make("a/b")
        try write("a/b/c", 100_000)
        let size = try FolderTree.size(of: folder, limit: 10)
        #expect(size.entries == 3)
        #expect(size.bytes >= 100_000)
        #expect(!size.isBeyondLimit)
        #expect(try FolderTree.size(of: folder, limit: 2).isBeyondLimit)
    }

    @Test func linksAreNotFollowed() throws {
        let outside = folder + "-outside"
        defer {
            try? FolderTree.remove(folder)
            try? FolderTree.remove(outside)
        }
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try Data(count: 1_000_000).write(to: URL(filePath: outside + "/kept"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: outside)
        #expect(try FolderTree.size(of: folder, limit: 10).bytes < 100_000)
        try FolderTree.remove(folder)
        #expect(FileManager.default.fileExists(atPath: outside + "/kept"))
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: outside)
        #expect(throws: SystemError.self) { try FolderTree.empty(folder) }
        #expect(throws: SystemError.self) { try FolderTree.size(of: folder, limit: 10) }
        #expect(FileManager.default.fileExists(atPath: outside + "/kept"))
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func anyDepthIsRemoved() throws {
        var path = "d"
        for _ in 0..<100 { path += "/d" }
        try make(path)
        try write(path + "/file")
        #expect(try FolderTree.size(of: folder, limit: 1_000).isBeyondLimit)
        try FolderTree.empty(folder)
        #expect(try FolderTree.size(of: folder, limit: 10).entries == 0)
        try FolderTree.remove(folder)
    }

    @Test func theFolderItselfIsOpened() throws {
        try write("file", 10_000)
        try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: folder)
        #expect(try FolderTree.size(of: folder, limit: 10).entries == 1)
        try FolderTree.remove(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func aFolderThatIsClosedIsOpened() throws {
        try make("closed")
        try write("closed/file", 10_000)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: "\(folder)/closed")
        #expect(try FolderTree.size(of: folder, limit: 10).entries == 2)
        try FolderTree.remove(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func manyFilesAreRemoved() throws {
        for number in 0..<1_000 { try write("\(number)") }
        #expect(try FolderTree.size(of: folder, limit: 2_000).entries == 1_000)
        try FolderTree.remove(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
