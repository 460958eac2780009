// A watched folder reports what appears in it and what leaves it.

import EventLoop
import Files
import Foundation
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct DirectoryWatchTests {
    nonisolated init() { Loop.shared.start() }

    @Test func aFolderTellsWhatComesAndGoes() async throws {
        let folder = try TemporaryFolder()
        let inbox = Inbox<String>()
        let watch = try DirectoryWatch(folder.path) { event, name in inbox.put("\(event) \(name)") }
        try folder.write("x", to: "a.so")
        #expect(try await inbox.next() == "appeared a.so")
        rename(folder.file("a.so"), folder.file("b.so"))
        #expect(try await inbox.next() == "vanished a.so")
        #expect(try await inbox.next() == "appeared b.so")
        mkdir(folder.file("c"), 0o700)
        #expect(try await inbox.next() == "appeared c")
        symlink("b.so", folder.file("d"))
        #expect(try await inbox.next() == "appeared d")
        chmod(folder.file("b.so"), 0o644)
        #expect(try await inbox.next() == "modified b.so")
        chmod(folder.path, 0o750)
        #expect(try await inbox.next { $0 != "modified b.so" } == "modified ")
        try folder.remove("b.so")
        #expect(try await inbox.next { !$0.hasPrefix("modified") } == "vanished b.so")
        for name in ["c", "d"] { try folder.remove(name) }
        rmdir(folder.path)
        #expect(try await inbox.next { $0.hasPrefix("folderGone") } == "folderGone ")
        watch.cancel()
    }

    @Test func watchesShareOneInstance() async throws {
        let folders = try (0..<4).map { _ in try TemporaryFolder() }
        let inbox = Inbox<String>()
        // Two of each folder.
        var watches = try (0..<8).map { number in
            try DirectoryWatch(folders[number / 2].path) { event, name in inbox.put("\(number) \(event) \(name)") }
        }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let files = descriptors.map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(files.count { $0 == "anon_inode:inotify" } == 1)
        try folders[0].write("x", to: "a")
        #expect(try await [inbox.next(), inbox.next()] == ["0 appeared a", "1 appeared a"])
        watches[0].cancel()
        watches.remove(at: 2)
        try folders[0].write("x", to: "b")
        try folders[1].write("x", to: "c")
        #expect(try await [inbox.next(), inbox.next()] == ["1 appeared b", "3 appeared c"])
    }

    @Test func aMissingFolderIsAnError() {
        #expect(throws: SystemError(call: "inotify_add_watch", code: ENOENT)) {
            try DirectoryWatch("/nonexistent") { _, _ in }
        }
    }
}
