// Invalid plugin files in a real folder: each is refused with its reason, and none blocks.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct PluginFileTests {
    private let folder: PluginFolder

    init() throws { folder = try PluginFolder() }

    private func refusal(of name: String) throws -> PluginFileError? {
        let candidates = folder.scan()
        #expect(candidates.count == 1)
        guard case .rejected(_, let path, let error) = try #require(candidates.first) else { return nil }
        #expect(path == folder.file(name))
        return error
    }

    @Test func library() throws {
        try folder.write(ELFImage().bytes, to: "libHotline.so")
        guard case .usable(let file) = try #require(folder.scan().first) else {
            Issue.record("refused: \(folder.scan())")
            return
        }
        #expect(file.id == "Hotline")
        #expect(file.libraryPath == folder.file("libHotline.so"))
        #expect(file.location == file.libraryPath)
        #expect(file.resourceDirectory == "")
        #expect(file.note.sdkVersionText == "0.1.0")
        #expect(folder.scan() == [.usable(file)])
        // The same bytes in a new file are a new plugin.
        try folder.write(ELFImage().bytes, to: "next")
        try #require(rename(folder.file("next"), folder.file("libHotline.so")) == 0)
        #expect(folder.scan() != [.usable(file)])
    }

    @Test func symbolicLinkInTheFolder() throws {
        try #require(mkdir(folder.file("versions"), 0o755) == 0)
        try folder.write(ELFImage().bytes, to: "versions/A-1")
        try #require(symlink("versions/A-1", folder.file("A.so")) == 0)
        guard case .usable(let file) = try #require(folder.scan().first) else {
            Issue.record("refused: \(folder.scan())")
            return
        }
        #expect(file.libraryPath == folder.file("versions/A-1"))
        #expect(file.location == folder.file("A.so"))
        // The folders on the way must be safe as well.
        try #require(chmod(folder.file("versions"), 0o777) == 0)
        #expect(try refusal(of: "A.so") == .worldWritable(.folder, path: folder.file("versions")))
    }

    @Test func symbolicLinkOutOfTheFolder() throws {
        let elsewhere = try PluginFolder()
        try elsewhere.write(ELFImage().bytes, to: "real")
        try #require(symlink(elsewhere.file("real"), folder.file("A.so")) == 0)
        #expect(try refusal(of: "A.so") == .outside(path: elsewhere.file("real"), folder: folder.path))
    }

    @Test func aFolderThatCanBeExchanged() throws {
        try #require(mkdir(folder.file("inner"), 0o755) == 0)
        try folder.write(ELFImage().bytes, to: "inner/A.so")
        try #require(chmod(folder.path, 0o777) == 0)
        let error = PluginFileError.worldWritable(.folder, path: folder.path)
        #expect(throws: error) { try PluginFile(at: folder.file("inner/A.so"), protocolVersion: 1) }
        // Each may remove only what is its own, as in /tmp.
        try #require(chmod(folder.path, 0o1777) == 0)
        #expect(try PluginFile(at: folder.file("inner/A.so"), protocolVersion: 1).id == "A")
    }

    @Test func exchanged() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        let file = try PluginFile(at: folder.file("A.so"), protocolVersion: 1)
        #expect(try file.open().status.size == UInt64(ELFImage().bytes.count))
        try folder.write(ELFImage().bytes, to: "next")
        try #require(rename(folder.file("next"), folder.file("A.so")) == 0)
        #expect(throws: PluginFileError.exchanged(path: folder.file("A.so"))) { try file.open() }
    }

    @Test func groupWritable() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        try #require(chmod(folder.file("A.so"), 0o664) == 0)
        let error = try refusal(of: "A.so")
        #expect(error == .groupWritable(.regular, path: folder.file("A.so")))
        #expect(error?.description.contains("its group can write") == true)
    }

    @Test func namedByPath() throws {
        try folder.write(ELFImage().bytes, to: "libA.so")
        try #require(symlink(folder.path, folder.file("here")) == 0)
        for path in [folder.file("libA.so"), folder.file("here/libA.so"), folder.file("here//libA.so")] {
            let file = try PluginFile(at: path, protocolVersion: 1)
            #expect(file.id == "A")
            #expect(file.libraryPath == folder.file("libA.so"))
        }
        for path in ["", "/", "/tmp", folder.file(".so"), folder.file("libA.so.1")] {
            #expect(throws: PluginFileError.notAPluginName) { try PluginFile(at: path, protocolVersion: 1) }
        }
        let elsewhere = "/nonexistent/A.so"
        #expect(throws: PluginFileError.unreadable(SystemError(call: "realpath", code: ENOENT))) {
            try PluginFile(at: elsewhere, protocolVersion: 1)
        }
    }

    @Test func text() throws {
        try folder.write(Array("I am no shared object\n".utf8), to: "A.so")
        #expect(try refusal(of: "A.so") == .notELF)
    }

    @Test func empty() throws {
        try folder.write([], to: "A.so")
        #expect(try refusal(of: "A.so") == .notELF)
    }

    @Test func cutOff() throws {
        try folder.write(Array(ELFImage().bytes.prefix(100)), to: "A.so")
        #expect(try refusal(of: "A.so") == .truncated(expected: 176, found: 100))
    }

    @Test func otherProtocol() throws {
        var image = ELFImage()
        image.note = PluginNote(
            protocolVersion: 99, sdkVersion: PluginNote.SDKVersion(major: 7, minor: 0, patch: 1),
            toolchain: PluginNote.Toolchain(major: 9, minor: 0))
        try folder.write(image.bytes, to: "A.so")
        let error = try refusal(of: "A.so")
        #expect(error == .wrongProtocol(image.note, expected: 1))
        #expect(error?.description == "speaks protocol version 99 (SDK 7.0.1), expected 1")
        #expect(folder.scan().first?.complaint?.hasPrefix(folder.file("A.so")) == true)
    }

    @Test(.timeLimit(.minutes(15))) func fifo() throws {
        try #require(mkfifo(folder.file("A.so"), 0o600) == 0)
        #expect(try refusal(of: "A.so") == .notAFile(.fifo))
        #expect(throws: SystemError.notRegular()) { try FileReader(folder.file("A.so")) }
    }

    @Test func device() throws {
        try #require(symlink("/dev/zero", folder.file("A.so")) == 0)
        #expect(try refusal(of: "A.so") == .notAFile(.characterDevice))
    }

    @Test func directory() throws {
        try #require(mkdir(folder.file("A.so"), 0o700) == 0)
        #expect(try refusal(of: "A.so") == .notAFile(.folder))
    }

    @Test func symbolicLinkLoop() throws {
        try #require(symlink("A.so", folder.file("A.so")) == 0)
        let error = try refusal(of: "A.so")
        #expect(error == .unreadable(SystemError(call: "realpath", code: ELOOP)))
    }

    @Test func danglingSymbolicLink() throws {
        try #require(symlink("nowhere", folder.file("A.so")) == 0)
        #expect(try refusal(of: "A.so") == .unreadable(SystemError(call: "realpath", code: ENOENT)))
    }

    @Test func nameThatIsNotUTF8() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        let name: [CChar] = Array(folder.file("B").utf8CString.dropLast()) + [-1] + ".so".utf8CString
        try #require(rename(folder.file("A.so"), name) == 0)
        guard case .rejected("B_", _, .unreadable) = try #require(folder.scan().first) else {
            Issue.record("\(folder.scan())")
            return
        }
    }

    @Test func worldWritable() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        try #require(chmod(folder.file("A.so"), 0o666) == 0)
        #expect(try refusal(of: "A.so") == .worldWritable(.regular, path: folder.file("A.so")))
        try #require(chmod(folder.file("A.so"), 0o644) == 0 && chmod(folder.path, 0o777) == 0)
        #expect(try refusal(of: "A.so") == .worldWritable(.folder, path: folder.path))
    }

    @Test func otherOwner() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        let own = geteuid()
        guard own != 0 else {
            // Only root can change the owner of a file; as root, check as another user.
            try #require(chown(folder.file("A.so"), 12345, 0) == 0)
            let expected = PluginFileError.wrongOwner(path: folder.file("A.so"), owner: 12345, user: 0)
            #expect(try refusal(of: "A.so") == expected)
            #expect(folder.scan(user: 12345).first?.complaint == nil)
            return
        }
        #expect(folder.scan(user: own + 1).first?.complaint?.contains("belongs to user \(own)") == true)
    }

    @Test func tooLarge() throws {
        try folder.write(ELFImage().bytes, to: "A.so")
        try #require(truncate(folder.file("A.so"), off_t(PluginFile.maximumSize) + 1) == 0)
        let error = PluginFileError.tooLarge(size: PluginFile.maximumSize + 1, limit: PluginFile.maximumSize)
        #expect(try refusal(of: "A.so") == error)
        // A sparse file of 1 GiB takes no space.
        try #require(truncate(folder.file("A.so"), off_t(PluginFile.maximumSize)) == 0)
        #expect(folder.scan().first?.complaint == nil)
    }

    @Test func bundle() throws {
        try #require(mkdir(folder.file("Hotline.callplugin"), 0o755) == 0)
        #expect(try refusal(of: "Hotline.callplugin") == .noLibrary(expected: "Hotline.so"))
        try folder.write(ELFImage().bytes, to: "Hotline.callplugin/libHotline.so")
        try folder.write(ELFImage().bytes, to: "Hotline.callplugin/Hotline.so")
        guard case .usable(let file) = try #require(folder.scan().first) else {
            Issue.record("refused: \(folder.scan())")
            return
        }
        #expect(file.id == "Hotline")
        #expect(file.location == folder.file("Hotline.callplugin"))
        #expect(file.resourceDirectory == file.location)
        #expect(file.libraryPath == file.location + "/Hotline.so")
        try #require(unlink(file.libraryPath) == 0)
        #expect(folder.scan().first?.path == file.location + "/libHotline.so")
        try #require(chmod(file.location, 0o777) == 0)
        #expect(try refusal(of: "Hotline.callplugin") == .worldWritable(.folder, path: file.location))
    }

    @Test func bundleThatIsAFile() throws {
        try folder.write(ELFImage().bytes, to: "A.callplugin")
        #expect(try refusal(of: "A.callplugin") == .notAFolder(.regular))
    }
}
