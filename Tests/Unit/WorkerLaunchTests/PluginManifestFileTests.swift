// Plugin.ini in a bundle: which files are read, and what a change of one means.

import CallModel
import EventLoop
import Files
import Glibc
import Testing

@testable import WorkerLaunch

@Suite struct PluginManifestFileTests {
    private let folder: PluginFolder
    private let bundle = "A.callplugin"

    init() throws {
        folder = try PluginFolder()
        try #require(mkdir(folder.file(bundle), 0o755) == 0)
        try folder.write(ELFImage().bytes, to: "\(bundle)/A.so")
    }

    private func ask(_ text: String, in name: String = "Plugin.ini") throws {
        try folder.write(Array(text.utf8), to: "\(bundle)/\(name)")
    }

    private func file() throws -> PluginFile { try PluginFile(at: folder.file(bundle), protocolVersion: 1) }

    private func refusal() throws -> PluginFileError? {
        do throws(PluginFileError) {
            _ = try PluginFile(at: folder.file(bundle), protocolVersion: 1)
            return nil
        } catch {
            return error
        }
    }

    @Test func withoutAFile() throws {
        #expect(try file().manifest == PluginManifest())
    }

    /// Beside a library alone stands no manifest, whatever lies in its folder.
    @Test func ofALibraryAlone() throws {
        try folder.write(ELFImage().bytes, to: "B.so")
        try folder.write(Array("[Plugin]\nNeeds=network\n".utf8), to: "Plugin.ini")
        #expect(try PluginFile(at: folder.file("B.so"), protocolVersion: 1).manifest == PluginManifest())
    }

    @Test func refusedWithTheLine() throws {
        try ask("[Plugin]\nNeeds=network;session-bus:org.freedesktop.Flatpak\n")
        let error = try refusal()
        guard case .manifest(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("Plugin.ini, line 2: session-bus:org.freedesktop.Flatpak is granted to no plugin"))
        #expect(error?.isPassing == false)
    }

    @Test func filesThatAreNotRead() throws {
        let path = folder.file("\(bundle)/Plugin.ini")
        try ask("[Plugin]\nNeeds=network\n", in: "real.ini")
        try #require(symlink("real.ini", path) == 0)
        let noFile = PluginFileError.manifest("Plugin.ini is no regular file")
        #expect(try refusal() == noFile, "a symbolic link")
        try #require(unlink(path) == 0 && mkdir(path, 0o755) == 0)
        #expect(try refusal() == noFile, "a folder")
        try #require(rmdir(path) == 0 && mkfifo(path, 0o644) == 0)
        #expect(try refusal() == noFile, "a FIFO")
        try #require(unlink(path) == 0)
        try ask("[Plugin]\n")
        try #require(chmod(path, 0o666) == 0)
        #expect(try refusal() == .worldWritable(.regular, path: path))
        try #require(chmod(path, 0o664) == 0)
        #expect(try refusal() == .groupWritable(.regular, path: path))
        try #require(chmod(path, 0o644) == 0)
        #expect(try refusal() == nil)
        try folder.write(Array(repeating: UInt8(ascii: "#"), count: 1 << 20), to: "\(bundle)/Plugin.ini")
        #expect(try refusal()?.description.contains("16384") == true)
    }

    /// What is started is what was looked at: the library and what it asks for.
    @Test func changedAfterTheLook() throws {
        try ask("[Plugin]\nNeeds=audio\n")
        let before = try file()
        _ = try before.open()
        try ask("[Plugin]\nNeeds=network\n")
        #expect(throws: PluginFileError.exchanged(path: folder.file("\(bundle)/Plugin.ini"))) { try before.open() }
        let after = try file()
        #expect(before != after)
        #expect(after.manifest.needs == [.network])
        try #require(unlink(folder.file("\(bundle)/Plugin.ini")) == 0)
        #expect(throws: PluginFileError.exchanged(path: folder.file("\(bundle)/Plugin.ini"))) { try after.open() }
        let without = try file()
        #expect(without != after)
        try ask("[Plugin]\nNeeds=")
        #expect(throws: PluginFileError.exchanged(path: folder.file("\(bundle)/Plugin.ini"))) { try without.open() }
        // Half a file is worse than another one.
        try ask("[Plug")
        #expect(throws: PluginFileError.self) { try without.open() }
    }

    @Test func exchangedBundle() throws {
        let before = try file()
        try #require(rename(folder.file(bundle), folder.file("old")) == 0)
        try #require(mkdir(folder.file(bundle), 0o755) == 0)
        try folder.write(ELFImage().bytes, to: "\(bundle)/A.so")
        #expect(throws: PluginFileError.exchanged(path: folder.file("\(bundle)/A.so"))) { try before.open() }
        #expect(try file() != before)
    }
}
