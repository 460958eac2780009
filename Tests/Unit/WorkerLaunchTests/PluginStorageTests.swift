// The folders of a plugin, which may have been anything to them.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct PluginStorageTests {
    private let folder: TemporaryFolder
    private let storage: PluginStorage

    init() throws {
        folder = try TemporaryFolder()
        let home = try FileStatus.resolve(folder.path)
        storage = try #require(PluginStorage(id: "Phone", environment: ["HOME": home]))
    }

    @Test func places() throws {
        let storage = PluginStorage(
            id: "A", environment: ["HOME": "/h/", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "c"])
        #expect(storage == PluginStorage(state: "/s/opencallkit/plugins/A", cache: "/h/.cache/opencallkit/plugins/A"))
        #expect(PluginStorage(id: "A", environment: [:]) == nil)
        #expect(PluginStorage(id: "A", environment: ["HOME": "relative"]) == nil)
    }

    @Test func madeForTheUserAlone() throws {
        try storage.prepare(for: .provider)
        try storage.prepare(for: .provider)
        for path in [storage.state, storage.cache, storage.temporary(.provider)] {
            let status = try FileStatus(path, followingLinks: false)
            #expect(status.kind == .folder && status.isPrivate, "\(path)")
        }
        try #require(chmod(storage.state, 0o755) == 0)
        try storage.prepare(for: .provider)
        #expect(try FileStatus(storage.state).isPrivate)
    }

    @Test func linksInTheirPlaces() throws {
        try storage.prepare(for: .provider)
        try #require(mkdir(folder.file("other"), 0o700) == 0)
        try folder.write("kept", to: "other/file")
        for path in [storage.state, storage.cache] {
            try #require(rename(path, path + ".away") == 0 && symlink(folder.file("other"), path) == 0)
            #expect(throws: SystemError.self) { try storage.prepare(for: .provider) }
            try #require(unlink(path) == 0 && rename(path + ".away", path) == 0)
        }
        // The cache is the plugin's: a link in place of the temporary folder is removed, and not followed.
        let temporary = storage.temporary(.provider)
        try #require(rmdir(temporary) == 0 && symlink(folder.file("other"), temporary) == 0)
        try storage.prepare(for: .provider)
        #expect(try FileStatus(temporary, followingLinks: false).kind == .folder)
        storage.removeLeftovers()
        #expect(try FolderListing.names(in: storage.cache, limit: 9) { _ in true } == ["tmp"])
        #expect(try FileStatus(folder.file("other/file")).kind == .regular)
    }

    @Test func temporaryFolderIsEmptied() throws {
        try storage.prepare(for: .provider)
        try storage.prepare(for: .directory)
        let temporary = storage.temporary(.provider)
        for path in ["\(temporary)/left", "\(storage.state)/kept", "\(storage.temporary(.directory))/running"] {
            try #require(mkdir(path, 0o700) == 0)
        }
        try storage.prepare(for: .provider)
        #expect(try FolderListing.names(in: temporary, limit: 9) { _ in true } == [])
        #expect(try FolderListing.names(in: storage.state, limit: 9) { _ in true } == ["kept"])
        // Of a part that may be running nothing is taken.
        #expect(try FolderListing.names(in: storage.temporary(.directory), limit: 9) { _ in true } == ["running"])
        let aside = { try FolderListing.names(in: storage.cache, limit: 9) { $0.hasPrefix("leftover-") }.count }
        #expect(try aside() == 1)
        storage.removeLeftovers()
        #expect(try aside() == 0)
        try storage.remove()
        for path in [storage.state, storage.cache] {
            #expect(throws: SystemError(call: "stat", code: ENOENT)) { try FileStatus(path) }
        }
    }

    @Test func foldersCountTogether() {
        func size(_ bytes: UInt64, _ entries: Int, beyond: Bool = false) -> FolderTree.Size {
            var size = FolderTree.Size()
            (size.bytes, size.entries, size.isBeyondLimit) = (bytes, entries, beyond)
            return size
        }
        #expect(PluginStorage.excess(of: "P", [size(200 << 20, 10_000), size(56 << 20, 10_000)]) == nil)
        #expect(
            PluginStorage.excess(of: "P", [size(200 << 20, 1), size(57 << 20, 1)])?.hasPrefix("has 257 MiB")
                == true)
        for sizes in [[size(0, 10_000), size(0, 10_001)], [size(0, 5, beyond: true)]] {
            #expect(PluginStorage.excess(of: "P", sizes)?.hasPrefix("has more than 20000 files") == true)
        }
    }
}
