// The Swift runtime that is installed with the programs, and the plugins that get it.

import CallModel
import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct SharedRuntimeTests {
    private let folder: PluginFolder
    private let installation: TemporaryFolder

    init() throws {
        folder = try PluginFolder()
        installation = try TemporaryFolder()
    }

    private static let ours = SharedRuntime.toolchain
    private static let other = PluginNote.Toolchain(major: 6, minor: 99)

    /// A built library whose run path leads nowhere, with the note of a compiler.
    private func library(of toolchain: PluginNote.Toolchain) throws -> [UInt8] {
        let file = try FileReader(ProcessEnvironment.executableFolder + "/libSmallestPlugin.so")
        var bytes = try file.bytes(at: 0, count: Int(file.status.size))
        let runPath = try #require(bytes.firstRange(of: Array("/lib/swift/linux".utf8)))
        bytes[runPath.lowerBound + 1] = UInt8(ascii: "L")
        let name = Array("OpenCallKit\0".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
        let note = try #require(bytes.firstRange(of: name)).lowerBound + 12 + 16
        for (place, number) in [(note, toolchain.major), (note + 4, toolchain.minor)] {
            bytes.replaceSubrange(place..<(place + 4), with: withUnsafeBytes(of: number.littleEndian) { Array($0) })
        }
        return bytes
    }

    private func plugin(_ bytes: [UInt8]) throws -> PluginFile {
        try folder.write(bytes, to: "libPhone.so")
        return try PluginFile(at: folder.file("libPhone.so"), protocolVersion: 1)
    }

    private func policy(of plugin: PluginFile) throws -> SandboxPolicy {
        try SandboxPolicy(
            for: plugin.sandboxed, granted: [], storage: PluginStorage(state: "/home/u/s", cache: "/home/u/c"),
            resources: SandboxResources(of: [], environment: [:]), environment: ["HOME": "/home/u"],
            worker: installation.file("libexec/opencallkit/callkit-worker"), demand: .landlock)
    }

    private func install() throws -> String {
        let runtime = installation.file("lib/opencallkit/swift")
        try FileWriter.makeFolder(runtime)
        try FileWriter.replace("\(runtime)/libswiftCore.so", with: [])
        return runtime
    }

    @Test func aPluginOfTheSameCompilerSharesIt() throws {
        let plugin = try plugin(library(of: Self.ours))
        #expect(try policy(of: plugin).environment["LD_LIBRARY_PATH"] == folder.path)
        let runtime = try install()
        let policy = try policy(of: plugin)
        #expect(policy.environment["LD_LIBRARY_PATH"] == "\(folder.path):\(runtime)")
        #expect(String(decoding: policy.text, as: UTF8.self).contains("read\t\(runtime)\n"))
    }

    @Test func aPluginWithItsOwnRuntimeKeepsIt() throws {
        let file = try FileReader(ProcessEnvironment.executableFolder + "/libSmallestPlugin.so")
        let plugin = try plugin(file.bytes(at: 0, count: Int(file.status.size)))
        try #require(!plugin.sandboxed.runtimeFolders.isEmpty)
        _ = try install()
        #expect(try policy(of: plugin).environment["LD_LIBRARY_PATH"] == folder.path)
    }

    @Test func aPluginOfAnotherCompilerBringsItsOwn() throws {
        let bytes = try library(of: Self.other)
        let error = #expect(throws: PluginFileError.self) { try plugin(bytes) }
        #expect(
            error?.description
                == "needs the runtime of Swift 6.99, and only that of Swift \(Self.ours) is here; "
                + "build it with Swift \(Self.ours), or with -static-stdlib")
        try folder.write([], to: "libswiftCore.so")
        #expect(try !plugin(bytes).sandboxed.canShareRuntime)
    }

    /// A library that needs no runtime, as one with a runtime of its own inside, may be of any compiler.
    @Test func aPluginWithoutNeedIsTaken() throws {
        var image = ELFImage()
        image.note = PluginNote(
            protocolVersion: 1, sdkVersion: ELFImage.hostNote.sdkVersion, toolchain: Self.other)
        #expect(try plugin(image.bytes).id == "Phone")
    }
}
