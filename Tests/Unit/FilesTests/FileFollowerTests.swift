// A file is followed by its path, whether it is there or not.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@Suite @LoopActor struct FileFollowerTests {
    nonisolated init() { Loop.shared.start() }

    @Test func aFileComesAndGoesWithTheFoldersAboveIt() async throws {
        let folder = try TemporaryFolder()
        let inbox = Inbox<String>()
        let path = folder.file("a/b/file")
        let follower = FileFollower(path) { inbox.put((try? ConfigurationText.read(path))??.text ?? "none") }
        for round in 1...2 {
            for place in ["a", "a/b"] { mkdir(folder.file(place), 0o700) }
            try folder.write("\(round)\n", to: "a/b/file")
            #expect(try await inbox.next { $0 == "\(round)\n" } == "\(round)\n")
            try folder.write("x\n", to: "a/b/new")
            rename(folder.file("a/b/new"), path)
            #expect(try await inbox.next { $0 == "x\n" } == "x\n")
            unlink(path)
            #expect(try await inbox.next { $0 == "none" } == "none")
            rmdir(folder.file("a/b"))
            rmdir(folder.file("a"))
        }
        _ = follower
    }
}
